// documents.js: the code blocks of the pages about the package.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

export const pages = ['README.md', '../docs/web.md'];

/** The blocks of a page: {name, language, code}, and `script`: the code as JavaScript. `node`: it imports Dawn for Node. */
export function blocksOf(page) {
  const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
  const fences = text.match(/^```\w*$/gm) ?? [];
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, code], i) => ({
    name: `${page}, block ${i + 1}`,
    language,
    code,
    node: code.includes("from 'webgpu'"),
    script:
      language === 'ts'
        ? ts.transpileModule(code, {
            compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
          }).outputText
        : code,
  }));
  if (fences.length !== 2 * blocks.length)
    throw new Error(`${page}: ${fences.length} lines of fences, ${blocks.length} blocks`);
  for (const { name, language } of blocks)
    if (!['js', 'ts'].includes(language)) throw new Error(`${name}: language "${language}"; js and ts are run`);
  return blocks;
}
