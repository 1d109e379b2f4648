import { answersOf, framing } from '../../packages/providers/test/vendors/properties/answer-streams.ts'
import type { Wire } from '../../packages/providers/test/vendors/properties/wire.ts'

/** A vendor's answer of so many words, as it comes from a socket; and whole. */
export function streamOf(
  wire: Wire,
  { words, eventsPerRead }: { readonly words: number; readonly eventsPerRead: number },
): { readonly reads: Uint8Array[]; readonly bytes: number; readonly type: string; readonly whole: string } {
  const { events, whole } = answersOf[wire]({
    thinking: undefined,
    text: Array.from({ length: words }, (_, at) => (at % 9 === 8 ? 'word.\n' : 'word')).join(' '),
    calls: [],
    end: 'done',
    stopSequence: undefined,
    usage: { prompt: 100, cached: 20, output: words, thinking: 0 },
  })
  const { frame, type } = framing[wire]
  const frames = events.map(frame)
  const reads: Uint8Array[] = []
  for (let at = 0; at < frames.length; at += eventsPerRead) {
    reads.push(Buffer.concat(frames.slice(at, at + eventsPerRead)))
  }
  const bytes = frames.reduce((sum, { length }) => sum + length, 0)
  return { reads, bytes, type, whole: JSON.stringify(whole) }
}
