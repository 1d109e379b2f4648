import type { PartialChunk, PartialCompletion } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { decoded } from '../../../packages/providers/test/vendors/properties/decoded.ts'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import type { Plan } from '../../../packages/providers/test/vendors/stand-ins/plan.ts'
import { framedAnswer, threeWords, twoCalls } from './harness/vendor-answers.ts'
import { oneOfEachWire } from './harness/wires.ts'

/** What ends an answer of each protocol: the last event that a whole answer has to have. */
const endMarks: Readonly<Record<Wire, RegExp>> = {
  // Of each choice. `[DONE]` may follow: some servers send none.
  chat: /"finish_reason":"(stop|tool_calls|length)"/,
  messages: /"type":"message_stop"/,
  // Of each candidate. Google has no other mark: the connection ends.
  generate: /"finishReason":"(STOP|MAX_TOKENS)"/,
  // `metadata` follows, with the counts.
  converse: /"stopReason":"(end_turn|tool_use|max_tokens)"/,
  responses: /"type":"response\.(completed|incomplete)"/,
}

const plans: Readonly<Record<string, Plan>> = {
  words: threeWords,
  'calls of tools': twoCalls,
  'thoughts and words': { ...threeWords, thinking: 'Let me think' },
  'words up to a bound': { ...threeWords, end: 'length' },
}

describe('a stream that is cut at any byte is no whole one', () => {
  describe.each(Object.entries(oneOfEachWire))('%s', (_, { wire, at }) => {
    const target = at('http://127.0.0.1:1')

    it.each(Object.entries(plans))('%s', async (_, plan) => {
      const { type, events, frames, end } = framedAnswer(wire, plan)
      const texts = events.map(({ payload }) => JSON.stringify(payload))
      expect(texts.map(text => endMarks[wire].test(text)).lastIndexOf(true)).toBe(end)

      const bytes = Buffer.concat(frames)
      const mark = Buffer.concat(frames.slice(0, end + 1))
      // The empty line after the mark's event says nothing more. A frame has a checksum at its end.
      const whole = wire === 'converse' ? mark.length : mark.toString().trimEnd().length + widths(mark)
      const boundaries = new Set(frames.map((_, at) => Buffer.concat(frames.slice(0, at)).length))
      for (let size = 0; size <= bytes.length; size++) {
        const { failure, parts } = await decoded(target, type, [bytes.subarray(0, size)], true)
        const where = `${size} of ${bytes.length} bytes, whole at ${whole}`
        const withinFrame = wire === 'converse' && size < bytes.length && !boundaries.has(size)
        if (size < whole || withinFrame) expect(failure?.kind, where).toBe('truncated')
        else expect(failure, where).toBeUndefined()
        if (size < whole) expect(reasonsOf(parts), where).toEqual([])
      }
    })
  })
})

/** How many bytes more than UTF-16 code units a text has. */
function widths(bytes: Buffer): number {
  return bytes.length - bytes.toString().length
}

function reasonsOf(parts: readonly (PartialChunk | PartialCompletion)[]): unknown[] {
  return parts.flatMap(({ choices }) => [...choices].flatMap(({ finish_reason }) => finish_reason ?? []))
}
