import { readSse, type Split } from '@sluice/testing'
import { expect } from 'vitest'
import { expectCompletion } from '../../../../../test/e2e/replay/expect-completion.ts'
import { expectStream } from '../../../../../test/e2e/replay/expect-stream.ts'
import { type Expected, expectAnswered, expectError } from './expected.ts'
import type { Replay, Sent } from './replaying.ts'

/** What is asked of a gateway. */
export interface Asking {
  /** The gateway's name of the model. */
  readonly name: string
  readonly sent: Sent
  readonly splits: readonly Split[]
  readonly stream: boolean
}

/**
 * Asks once for each way to cut the vendor's bytes, holds the answer to the protocol and to what is expected of
 * it, and every further answer to the bytes of the first.
 */
export async function expectReplayed(replay: Replay, asking: Asking, expected: Expected): Promise<void> {
  const { name, sent, splits, stream } = asking
  const counted = { stream_options: { include_usage: true } }
  const fields = { ...expected.asked, ...(stream ? { stream, ...counted } : {}) }
  let first: string | undefined
  for (const split of splits) {
    const answer = await replay.ask(name, sent, split, fields)
    if (first !== undefined) {
      expect(answer.body, `the answer, where the vendor's bytes came as ${JSON.stringify(split)}`).toBe(first)
      continue
    }
    first = answer.body
    await expectAnswer(answer, name, stream, expected)
  }
}

type Answer = Awaited<ReturnType<Replay['ask']>>

async function expectAnswer(answer: Answer, model: string, stream: boolean, expected: Expected) {
  const { status, headers, body, bytes, complete } = answer
  const { choices, error } = expected
  expect(complete).toBe(true)
  if (error !== undefined && choices === undefined) {
    expect(status, body).toBe(error.status)
    expect(headers['content-type']).toBe('application/json')
    expectError(JSON.parse(body), error)
    expect(headers['retry-after']).toBe(error.retryAfter)
    return
  }
  expect(status, body).toBe(200)
  if (!stream) {
    expect(headers['content-type']).toBe('application/json')
    expectAnswered(expectCompletion(JSON.parse(body), model), expected)
    return
  }
  expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
  const transcript = await readSse(bytes)
  const breaks = error !== undefined
  expectAnswered(expectStream(transcript, { model, includeUsage: true, breaks }), expected)
  if (breaks) expectError(transcript.chunks.at(-1), error)
}
