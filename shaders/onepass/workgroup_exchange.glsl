// workgroup_exchange.glsl: how the workgroups of a pyramid's dispatch pass texels to each other: one interface, three
// protocols.
//
// The parents of a tile are the coarser tiles that read its texels. A workgroup that has made a tile publishes these
// texels and arrives at the counter of each parent. The workgroup that completes a counter claims that parent: it
// consumes the texels and makes the tile. The other workgroups end, or make tiles that they have claimed before.
//
//     onepass_open_exchange     first: no tile is claimed
//     onepass_find_parents      (pyramid_schedule.glsl) while a tile's loads are in flight, which hides its cost
//     onepass_open_base         the same for a 2:1 stage 0; returns the parity that onepass_publish takes
//     onepass_announce          at a 2:1 stage 0, after its first loads: arrives early in last-to-start mode
//     onepass_store_intermediate, onepass_publish         publish a texel: callbacks, see pyramid.glsl
//     onepass_arrive            a tile is complete: arrives at its parents. True: the workgroup has claimed a tile,
//     onepass_arrive_base       onepass_claimed_tile() of stage onepass_claimed_stage()
//     onepass_load_intermediate, onepass_consume_4x2      consume texels
//     onepass_close_exchange    after each tile; acts after the last one of a slice
//
// The stages determine the protocol of each texel when a pipeline is compiled:
//
//     protocol                 texels                                 condition                 claims the parent
//     fenced counters          all, unless one of the others applies  none                      the last to finish
//     self-validating words    those of stage 0, one per tile         onepass_publishes()       the last to finish
//     last to start            the same                               onepass_last_to_start()   the last to start
//
// All of them assume that counters are zero before the first dispatch (every dispatch leaves them zero), and that a
// barrier separates two dispatches on the same counters and exchange buffer. Otherwise the levels are unspecified, but
// every dispatch ends, and stores only to its levels and its scratch memory: no word of scratch memory is a loop bound
// or an index, the parity excepted, of which one bit is used; polls have a limit.
#ifndef ONEPASS_WORKGROUP_EXCHANGE_GLSL_
#define ONEPASS_WORKGROUP_EXCHANGE_GLSL_

#include "onepass/pyramid_schedule.glsl"
#include "onepass/prelude_names.glsl"

#define ONEPASS_NO_TILE 0xFFFFFFFFu  // instead of a packed tile

groupshared uint s_claims[9 * ONEPASS_MAX_STAGES];  // stack of claimed tiles, packed
groupshared uint s_claim_count;
groupshared uint s_claimed;  // the tile that the workgroup makes next, packed
groupshared uint s_parity;   // of the mailbox, in this dispatch

// ---- Fenced counters ----------------------------------------------------------------------------------------------
//
//     workgroup   store texels --barrier--> release --increment--> not the last: ends, or makes another claimed tile
//                                                         |
//                                                         +------> the last: reset --> acquire --barrier--> load texels
//
//     counter     0 --increment--> 1 --increment--> ... --increment--> expected --reset, by the last--> 0
//
// One invocation counts for its workgroup; barriers before and after it order the accesses of the other invocations.
//
// Memory: release and acquire order the stores before an increment and the loads after the last one, through buffers
//     that are ONEPASS_COHERENT. Both are memory barriers in the control flow of one invocation: a target whose
//     compiler turns them into workgroup barriers (Metal before version 3.2) cannot run this.
// Forward progress: no assumption. No workgroup waits for another.

// Arrives at a counter. True for the last of `expected` workgroups: it sees the texels of all others.
bool onepass_arrive_fenced(uint counter, uint expected) {
  onepass_release();
  if (onepass_increment(counter) + 1u != expected) return false;
  onepass_reset(counter);
  onepass_acquire();
  return true;
}

// ---- Self-validating words ----------------------------------------------------------------------------------------
//
// A tile of stage 0 also publishes its single texel in the mailbox: per component a word of its bits + 1, where 0 is an
// empty place. The mailbox has two halves; the parity, a word in memory, says which one a dispatch publishes in.
//
//     workgroup   publish --increment--> not the last: ends
//                               |
//                               +------> the last: reset --> poll until no word is 0 --> reduce the words' texels
//
//     a word of   empty (0) ----publish, by a tile, in a dispatch of parity p----> ready (not 0): the last polls it
//     half p          ^                                                              |
//                     +---------clear, by the same tile, in the next dispatch--------+
//
//     parity      p --flip, by the last tile of the slice, when all workgroups have read it--> 1 - p
//
// A word is data and flag at once: the producer needs no release and the consumer no acquire. Updates use fenced
// counters, because they read texels of earlier dispatches.
//
// Memory: a store of 32 bits is whole and becomes visible to other workgroups in finite time without a fence; stores
//     may become visible in any order; every poll loads from memory, by a volatile or a relaxed atomic load. Vulkan
//     does not guarantee the finite time: docs/devices.md has the drivers on which it is on by default. A load that
//     races with a plain store is a data race in the Vulkan memory model, with relaxed atomics it is none; the
//     library's kernels of one and two components use these. Its kernels of four components use coherent volatile
//     vectors, and, if they are written in the memory model, fenced counters.
// Parity: mailbox and parity are zero before the first dispatch; the last stage is a single tile per slice, which flips
//     the parity; two dispatches on one mailbox do not overlap. Otherwise a workgroup may read a wrong parity, or a
//     word that no tile has published in this dispatch.
// Limit: after ONEPASS_MAX_POLLS polls an invocation uses the words that it has read. Only a violated assumption leads
//     there.
// Forward progress: no assumption. An increment follows its workgroup's publish in program order, so that the last
//     workgroup waits for stores to become visible, not for workgroups.

// True if texels of stage 0 are published as self-validating words.
bool onepass_publishes() {
#if ONEPASS_MAILBOX
  return ONEPASS_STAGES == ONEPASS_STAGES_ALL && (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_PUBLISHES) != 0u &&
         !ONEPASS_PARTIAL;
#else
  return false;
#endif
}

// Arrives at a counter. True for the last of `expected` workgroups, which has yet to poll for the texels.
bool onepass_arrive_unfenced(uint counter, uint expected) {
  bool last = onepass_increment(counter) + 1u == expected;
  if (last) onepass_reset(counter);
  return last;
}

#if ONEPASS_MAILBOX && ONEPASS_SUBGROUP
// Polls until eight texels of a level of `size` are published: 4x2 from `fine` on, as two blocks of 2x2. Beyond the
// level any value would do, but undefined values make kernels of four channels 15 % slower with NVIDIA's compiler.
void onepass_consume_4x2(uint2 fine, uint2 size, uint slice, ONEPASS_OUT_ARRAY(ONEPASS_ELEMENT) t[8]) {
  ONEPASS_UNROLL for (uint i = 0u; i < 8u; ++i) t[i] = onepass_zero(ONEPASS_ELEMENT);
  if (any(onepass_greater_equal(fine, size)) && !ONEPASS_SUBGROUP_POLLS) return;
  uint places[8];
  ONEPASS_UNROLL for (uint i = 0u; i < 8u; ++i) {
    uint2 at = min(fine + uint2((i & 1u) + 2u * (i >> 2u), (i >> 1u) & 1u), size - 1u);
    places[i] = at.y * size.x + at.x;
  }
  // Not in the loop: in the memory model a load of shared memory has a memory barrier, for which Mesa 22's lavapipe
  // makes the workgroup's subgroups wait for each other. They poll different numbers of times.
  uint parity = s_parity;
  uint polls = 0u;
  bool ready;
  do {
    ready = true;
    ONEPASS_UNROLL for (uint i = 0u; i < 8u; ++i) ready = onepass_consume(slice, parity, places[i], t[i]) && ready;
    if (ONEPASS_SUBGROUP_POLLS) ready = onepass_subgroup_all(ready);
    onepass_pause(polls);
    ++polls;
  } while (!ready && polls < ONEPASS_MAX_POLLS);
}
#endif

/// Called after each tile of stage `index`. After the last stage every workgroup has read the parity: flips it.
void onepass_close_exchange(uint index, uint slice, uint lane) {
#if ONEPASS_MAILBOX
  if (onepass_publishes() && index + 1u == ONEPASS_STAGE_COUNT && lane == 0u) onepass_set_parity(slice, s_parity ^ 1u);
#endif
}

// ---- Last to start ------------------------------------------------------------------------------------------------
//
// Self-validating words with the increment at the start: neither a counter nor a barrier lies between the last publish
// and its use.
//
//     workgroup   start --increment--> not the last: makes tiles --> publish --> ends
//                            |
//                            +-------> the last: reset --> makes tiles --> publish --> poll --> reduce the texels
//
//     words and parity as above
//
// Memory, parity: as above.
// Forward progress: every workgroup that has started continues while another one polls (occupancy-bound forward
//     progress). Vulkan does not guarantee it. Workgroups that have not started need no guarantee: the last workgroup
//     polls for workgroups that have incremented the counter, and each of these publishes before it polls itself.
//     Without the guarantee, polling ends at the limit above.

bool onepass_last_to_start() {
  return onepass_publishes() && (ONEPASS_STAGE_KINDS & ONEPASS_STAGE_LAST_TO_START) != 0u;
}

// ---- The interface ------------------------------------------------------------------------------------------------

void onepass_clear_claims(uint lane) {
  if (lane == 0u) s_claim_count = 0u;
  onepass_group_barrier();  // the stack is empty
}

/// No tile is claimed. Where a tile of stage 0 contributes a single texel, onepass_count_single() clears the claims.
void onepass_open_exchange(uint lane) {
  if (ONEPASS_STAGES == ONEPASS_STAGES_BASE) return;  // it exchanges nothing, and parts of a tile have no barrier
  bool single = onepass_exchanges_one_texel() && ONEPASS_STAGES != ONEPASS_STAGES_LATER;
#if ONEPASS_WINDOW_ONLY
  single = false;  // no code counts a single texel
#endif
  if (!single) onepass_clear_claims(lane);
}

// After stage 0, while counters are incremented: prefetches the image descriptors of the next levels.
void onepass_touch_next(uint lane) {
  uint first = onepass_stage(1u).first + 1u;
  for (uint i = 0u; i < 7u; ++i) {
    if (lane / 32u == i && first + i <= ONEPASS_PARAMS.last_level) onepass_touch_level(first + i);
  }
}

// Takes the next tile off the stack of claims. False if the stack is empty.
bool onepass_claim(uint lane) {
  onepass_group_barrier();  // the stack is up to date
  bool more = s_claim_count > 0u;
  if (more) {
    s_claimed = s_claims[s_claim_count - 1u];  // every invocation writes the same value
    onepass_exchange_barrier();                // all have read the count and see the acquired texels
    if (lane == 0u) s_claim_count -= 1u;
  }
  return more;
}

uint onepass_claimed_stage() { return onepass_unpack_stage(s_claimed); }
uint2 onepass_claimed_tile() { return onepass_unpack_tile(s_claimed); }

/// A tile of stage `index` is complete: arrives at its parents, by fenced counters. True if the workgroup has claimed
/// a tile.
bool onepass_arrive(uint index, uint lane) {
  // A tile of the last stage has no parent, but other tiles may be claimed.
  if (index + 1u < ONEPASS_STAGE_COUNT) {
    onepass_exchange_barrier();  // the texels of all invocations are stored
    uint which = lane - ONEPASS_COUNTING_INDEX;
    // Nested conditions: before HLSL 2021 all operands of && are evaluated.
    if (which < 9u) {
      if (s_parents[which].y > 0u) {
        if (onepass_arrive_fenced(s_parents[which].x, s_parents[which].y)) {
          uint top;
          onepass_shared_add_before(s_claim_count, 1u, top);
          s_claims[top] = s_parents[which].z;
        }
      }
    }
    if (index == 0u) onepass_touch_next(lane);
  }
  return onepass_claim(lane);
}

// ---- Tiles of stage 0 that contribute a single texel: the arrival of each protocol ---------------------------------

// Arrives for a tile of stage 0 at its only parent. Returns the packed parent if that completes the counter, else
// ONEPASS_NO_TILE.
uint onepass_arrive_at_parent(uint2 tile, uint slice) {
  uint2 parent = (tile * onepass_base_made()) >> 6u;
  // A tile of rows or columns that the next level drops at an odd size has no parent.
  uint2 parents = onepass_tile_count(onepass_stage(1u));
  if (any(onepass_greater_equal(parent, parents))) return ONEPASS_NO_TILE;
  // The parent reads 64 texels per axis, of which a workgroup makes onepass_base_made(), a power of 2.
  uint2 log_made = onepass_highest_bit2(onepass_base_made());
  uint2 begin = max((parent << 6u) >> log_made, onepass_active_begin(0u));
  uint2 end = min(((parent + 1u) << 6u) >> log_made, onepass_active_end(0u));
  uint counter = slice * ONEPASS_PARAMS.counter_stride + parent.y * parents.x + parent.x;
  uint expected = (end.x - begin.x) * (end.y - begin.y);
  bool last;
  if (onepass_publishes()) {
    last = onepass_arrive_unfenced(counter, expected);
  } else {
    last = onepass_arrive_fenced(counter, expected);
  }
  return last ? onepass_pack(1u, parent) : ONEPASS_NO_TILE;
}

// The same by one invocation for the workgroup. s_claimed is valid after the next barrier.
void onepass_count_single(uint2 tile, uint slice) {
  s_claimed = onepass_arrive_at_parent(tile, slice);
  s_claim_count = 0u;
}

// onepass_arrive() for a single texel.
bool onepass_arrive_single(uint2 tile, uint slice, uint lane) {
  if (onepass_last_to_start()) {  // it has arrived when it started
    bool owns = s_claimed != ONEPASS_NO_TILE;
    if (owns) onepass_touch_next(lane);
    return owns;
  }
  if (lane == 0u) onepass_count_single(tile, slice);
  onepass_touch_next(lane);
  onepass_group_barrier();  // s_claimed is valid
  bool more = s_claimed != ONEPASS_NO_TILE;
  if (more && !onepass_publishes()) onepass_exchange_barrier();  // all see the texels that invocation 0 has acquired
  return more;
}

/// Before the tiles of a 2:1 stage 0: finds the parents; where single texels are published, reads the parity instead.
/// The result is valid in invocation 0 only.
uint onepass_open_base(uint2 tile, uint slice, uint lane) {
  if (!onepass_exchanges_one_texel()) onepass_find_parents(0u, tile, slice, lane);
  uint parity = 0u;
#if ONEPASS_MAILBOX
  if (onepass_publishes() && lane == 0u) {
    parity = onepass_parity(slice) & 1u;  // scratch memory that was not reset may hold any word
    s_parity = parity;                    // read after the same barrier as s_claimed
  }
#endif
  return parity;
}

/// After the first loads of a 2:1 stage 0, which it overlaps: arrives early in last-to-start mode.
void onepass_announce(uint2 tile, uint slice, uint lane) {
  if (onepass_last_to_start()) {
    if (lane == 0u) onepass_count_single(tile, slice);
    onepass_delay(tile);
  }
}

/// After the tiles of a 2:1 stage 0: arrives. True if the workgroup has claimed a tile.
bool onepass_arrive_base(uint2 tile, uint slice, uint lane) {
  bool more;
  // No conditional operator: HLSL evaluates both operands.
  if (onepass_exchanges_one_texel()) {
    more = onepass_arrive_single(tile, slice, lane);
  } else {
    more = onepass_arrive(0u, lane);
  }
  return more;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_WORKGROUP_EXCHANGE_GLSL_
