import type { Misbehaviour } from '@sluice/testing'

/**
 * What a caller is to see of an upstream's misbehaviour where there is no other target: a right answer, a real status
 * (and so the next target, where there is one), or a stream that begins and then breaks off with an error event.
 * Silence after the head is a real status only where `holdMs` is longer than `idleMs`.
 */
export type Verdict = 'answers' | 'breaks' | 502 | 503 | 504

/** For a whole answer, and for a streamed one. */
export const verdicts: Record<Misbehaviour, readonly [whole: Verdict, streamed: Verdict]> = {
  'hang-before-headers': [504, 504],
  'hang-after-headers': [504, 504],
  'hang-mid-stream': [504, 'breaks'],
  drip: [502, 'answers'],
  'cut-before-headers': [502, 502],
  'cut-within-headers': [502, 502],
  'cut-mid-chunk': [502, 'breaks'],
  'cut-between-chunks': [502, 'breaks'],
  'cut-mid-body': [502, 502],
  'reset-before-headers': [502, 502],
  'reset-mid-stream': [502, 'breaks'],
  'end-without-finish': [502, 'breaks'],
  // Each choice had its finish_reason: the answer is whole.
  'end-without-done': [502, 'answers'],
  garbage: [502, 502],
  'garbage-body': [502, 502],
  html: [502, 502],
  'wrong-content-type': [502, 'answers'],
  empty: [502, 502],
  'invalid-json': [502, 502],
  'invalid-json-event': [502, 502],
  'invalid-utf-8': [502, 'breaks'],
  'content-length-too-long': [504, 504],
  'content-length-too-short': [502, 502],
  'flood-one-event': [502, 502],
  flood: [502, 'breaks'],
  'early-answer': [503, 503],
  'early-reset': [503, 503],
  redirect: [502, 502],
  unsolicited: ['answers', 'answers'],
  'error-first': [502, 502],
  'error-mid-stream': [502, 'breaks'],
}
