#!/usr/bin/env python3
"""simd_contents.py LIST LIBRARY COMPILER: no function of the library uses an instruction that its SIMD target may not use.

LIST is the program simd_target_list: the instruction sets that the library asks a processor for, per target. Two checks:
  1. COMPILER, told these sets, enables no other set that it could use (by its predefined macros).
  2. The disassembly of LIBRARY: functions in a namespace N_TARGET use the sets of that target only, all others none.
"""
import collections
import re
import subprocess
import sys

# Instructions by instruction set. Names with a leading v are the forms with a VEX prefix; those of AVX-512 alone follow.
SETS = {
    "sse3": "addsubpd addsubps haddpd haddps hsubpd hsubps lddqu movddup movshdup movsldup fisttp fisttpll fisttps",
    "ssse3": "pabsb pabsw pabsd palignr phaddw phaddd phaddsw phsubw phsubd phsubsw pmaddubsw pmulhrsw pshufb psignb"
    " psignw psignd",
    "sse4.1": "blendpd blendps blendvpd blendvps dppd dpps extractps insertps movntdqa mpsadbw packusdw pblendvb pblendw"
    " pcmpeqq pextrb pextrd pextrq phminposuw pinsrb pinsrd pinsrq pmaxsb pmaxsd pmaxud pmaxuw pminsb pminsd"
    " pminud pminuw pmovsxbw pmovsxbd pmovsxbq pmovsxwd pmovsxwq pmovsxdq pmovzxbw pmovzxbd pmovzxbq pmovzxwd"
    " pmovzxwq pmovzxdq pmuldq pmulld ptest roundpd roundps roundsd roundss",
    "sse4.2": "pcmpestri pcmpestrm pcmpistri pcmpistrm pcmpgtq crc32 crc32b crc32w crc32l crc32q",
    "popcnt": "popcnt",
    "lzcnt": "lzcnt",
    "movbe": "movbe",
    "aes": "aesenc aesenclast aesdec aesdeclast aesimc aeskeygenassist",
    "pclmul": "pclmulqdq pclmullqlqdq pclmulhqlqdq pclmullqhqdq pclmulhqhqdq",
    "bmi": "andn bextr blsi blsmsk blsr",
    "bmi2": "bzhi mulx pdep pext rorx sarx shlx shrx",
    "adx": "adcx adox",
    "f16c": "vcvtph2ps vcvtps2ph",
    "avxvnni": "vpdpbusd vpdpbusds vpdpwssd vpdpwssds",
    "gfni": "gf2p8affineinvqb gf2p8affineqb gf2p8mulb vgf2p8affineinvqb vgf2p8affineqb vgf2p8mulb",
    "rdrnd": "rdrand",
    "rdseed": "rdseed",
}
AVX512 = {
    "avx512cd": "vpconflictd vpconflictq vplzcntd vplzcntq vpbroadcastmb2q vpbroadcastmw2d",
    "avx512vbmi": "vpermb vpermi2b vpermt2b vpmultishiftqb",
    "avx512vbmi2": "vpcompressb vpcompressw vpexpandb vpexpandw vpshldd vpshldq vpshldw vpshldvd vpshldvq vpshldvw vpshrdd"
    " vpshrdq vpshrdw vpshrdvd vpshrdvq vpshrdvw",
    "avx512bitalg": "vpopcntb vpopcntw vpshufbitqmb",
    "avx512vpopcntdq": "vpopcntd vpopcntq",
    "avx512vnni": "vpdpbusd vpdpbusds vpdpwssd vpdpwssds",
    "avx512ifma": "vpmadd52huq vpmadd52luq",
    "avx512bf16": "vcvtne2ps2bf16 vcvtneps2bf16 vdpbf16ps",
    "avx512dq": "vandpd vandps vandnpd vandnps vorpd vorps vxorpd vxorps vbroadcastf32x2 vbroadcastf64x2 vbroadcasti32x2"
    " vbroadcasti64x2 vcvtpd2qq vcvtpd2uqq vcvtps2qq vcvtps2uqq vcvtqq2pd vcvtqq2ps vcvttpd2qq vcvttpd2uqq"
    " vcvttps2qq vcvttps2uqq vcvtuqq2pd vcvtuqq2ps vextractf64x2 vextracti64x2 vextractf32x8 vextracti32x8"
    " vfpclasspd vfpclassps vfpclasssd vfpclassss vinsertf64x2 vinserti64x2 vinsertf32x8 vinserti32x8 vpmullq"
    " vpmovm2d vpmovm2q vpmovd2m vpmovq2m vrangepd vrangeps vrangesd vrangess vreducepd vreduceps kandb kandnb"
    " kmovb knotb korb kortestb kshiftlb kshiftrb ktestb ktestw kxnorb kxorb kaddb kaddw",
    "avx512bw": "vdbpsadbw vmovdqu8 vmovdqu16 vpblendmb vpblendmw vpermw vpermi2w vpermt2w vpmovb2m vpmovw2m vpmovm2b"
    " vpmovm2w vpmovswb vpmovuswb vpmovwb vpsllvw vpsravw vpsrlvw vptestmb vptestmw vptestnmb vptestnmw kandd"
    " kandq kandnd kandnq kmovd kmovq knotd knotq kord korq kortestd kortestq kshiftld kshiftlq kshiftrd"
    " kshiftrq ktestd ktestq kunpckdq kunpckwd kxnord kxnorq kxord kxorq kaddd kaddq",
}
BY_NAME = {name: need for need, names in SETS.items() for name in names.split()}
BY_NAME_512 = {name: need for need, names in AVX512.items() for name in names.split()}

# The macro that a compiler predefines while it may use a set, where it is not the set's name in capitals.
MACROS = {
    "lzcnt": "__LZCNT__",
    "popcnt": "__POPCNT__",
    "bmi": "__BMI__",
    "sse4.1": "__SSE4_1__",
    "sse4.2": "__SSE4_2__",
}
# Sets without instructions of their own that a function could contain by accident: for the operating system or hints.
HARMLESS = {"sse", "mmx", "fxsr", "xsave", "crc32", "evex512", "cx8", "sse2"}

EVEX = re.compile(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])|\{1to\d+\}|\{z\}|\{r[nduz]-sae\}|\{sae\}")


def needs(mnemonic, operands):
    """The instruction sets that one instruction needs."""
    evex = EVEX.search(operands)
    if mnemonic.startswith("k") and mnemonic in BY_NAME_512:
        return {"avx512f", BY_NAME_512[mnemonic]}
    if evex:
        found = {"avx512f"}
        if not ("%zmm" in operands) and re.search(r"%[xy]mm", operands) and not re.search(r"[sd][sd]$", mnemonic):
            found.add("avx512vl")
        if mnemonic in BY_NAME_512:
            found.add(BY_NAME_512[mnemonic])
        if mnemonic.startswith("vaes"):
            found.add("vaes")
        if mnemonic.startswith("vpclmul"):
            found.add("vpclmulqdq")
        if mnemonic.startswith(("vgf2p8", "gf2p8")):
            found.add("gfni")
        return found
    if mnemonic in BY_NAME:
        found = {BY_NAME[mnemonic]}
        return found | {"avx"} if mnemonic.startswith("v") else found
    if re.match(r"vfn?m(add|sub)", mnemonic):
        return {"fma"}
    if mnemonic.startswith("vaes"):
        return {"vaes"} if "%ymm" in operands else {"aes", "avx"}
    if mnemonic.startswith("vpclmul"):
        return {"vpclmulqdq"} if "%ymm" in operands else {"pclmul", "avx"}
    if mnemonic.startswith("v") and not mnemonic.startswith(("verr", "verw", "vm")) or mnemonic in ("vmovd", "vmovq"):
        return {"avx"}
    if mnemonic.startswith("vm"):  # vmovaps ..., vmaxps, vminps, vmulps, vmaskmov; not vmcall and its kin
        return {"avx"} if re.search(r"%[xyz]mm", operands) else set()
    return set()


def compiler_enables(compiler, sets):
    """The sets of SETS and AVX512 that the compiler uses when it is told `sets`, by its predefined macros."""
    options = ["-m" + name for name in sets]
    text = subprocess.run(
        [*compiler.split(), "-x", "c++", "-dM", "-E", *options, "-"],
        input="",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    macros = set(re.findall(r"#define (__\w+__) 1", text))
    enabled = set()
    for name in [
        *SETS,
        *AVX512,
        "fma",
        "avx",
        "avx2",
        "vaes",
        "vpclmulqdq",
        "avx512f",
        "avx512vl",
        "fma4",
        "xop",
        "tbm",
    ]:
        if MACROS.get(name, "__%s__" % name.upper()) in macros:
            enabled.add(name)
    return enabled


def functions(library):
    """(symbol, [(mnemonic, operands)]) of every function, demangled."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", library]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    name, body = None, []
    for line in process.stdout:
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            if name is not None:
                yield name, body
            name, body = head.group(1), []
            continue
        instruction = re.match(r"\s+[0-9a-f]+:\s+(.*)$", line)
        if instruction:
            words = instruction.group(1).split("#")[0].split()
            while words and words[0] in (
                "lock",
                "rep",
                "repz",
                "repnz",
                "bnd",
                "data16",
                "notrack",
                "cs",
                "{vex}",
                "{evex}",
            ):
                words.pop(0)
            if words:
                body.append((words[0], " ".join(words[1:])))
    if name is not None:
        yield name, body
    if process.wait() != 0:
        sys.exit("simd_contents: objdump failed")


def main():
    listing, library, compiler = sys.argv[1:]
    lines = subprocess.run([listing], capture_output=True, text=True, check=True).stdout.splitlines()
    targets = {words[0]: set(words[1:]) for words in map(str.split, lines) if words and words[0] != "runs"}
    faults = []
    for target, sets in targets.items():
        more = compiler_enables(compiler, sorted(sets)) - sets - HARMLESS
        if sets and more:
            faults.append(
                f"{target}: the compiler may use {' '.join(sorted(more))}, which processors are not asked for"
            )

    seen = collections.Counter()
    used = collections.defaultdict(set)
    for name, body in functions(library):
        found = re.search(r"\bN_(\w+?)::", name)
        target = found.group(1) if found and found.group(1) in targets else "baseline"
        if target not in targets:
            target = "baseline"
        seen[target] += 1
        for mnemonic, operands in body:
            need = needs(mnemonic, operands)
            used[target] |= need
            if not need <= targets[target] and len(faults) < 20:
                faults.append(
                    f"{target}: {mnemonic} {operands} in {name[:160]} needs {' '.join(sorted(need - targets[target]))}"
                )
    for target in targets:
        print(
            f"{target}: {seen[target]} functions use {' '.join(sorted(used[target])) or 'no instruction set beyond the baseline'}"
        )
        if seen[target] < 10:
            faults.append(f"{target}: only {seen[target]} functions found in {library}")
        # What keeps the check honest: a target's own instructions are found in its functions.
    for target, own in (("AVX2", "avx2"), ("AVX3", "avx512f"), ("AVX3_DL", "avx512f"), ("SSE4", "sse4.1")):
        if target in targets and own not in used[target] and not (own == "avx2" and "avx" in used[target]):
            faults.append(f"{target}: no instruction of {own} found: is {library} the library?")
    for fault in faults:
        print("FAULT", fault)
    sys.exit(1 if faults else 0)


main()
