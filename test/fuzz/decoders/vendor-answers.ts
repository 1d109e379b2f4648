import fc from 'fast-check'
import {
  answersOf,
  framing,
  plans,
} from '../../../packages/providers/test/vendors/properties/answer-streams.ts'
import { distorted, distortion } from '../../../packages/providers/test/vendors/properties/distorted.ts'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import { eventFrame } from '../../../packages/providers/test/vendors/replay/event-frames.ts'
import { oddEvents } from './odd-events.ts'

/** Numbers and other values as texts, that no count and no index may be. */
const oddTokens = [
  ...['-1', '1.5', '1e308', '1e400', '-1e400', '9007199254740991', '9007199254740993', '1e21', '-0', '1e-7'],
  ...[`1${'0'.repeat(400)}`, '129', '100000', 'null', '"7"', 'true', '[]', '{}', '""', '[[[[]]]]'],
]

/** What happens to one event of an answer, or to the bytes of it all. */
const change = fc.oneof(
  fc.record({
    act: fc.constantFrom('drop', 'repeat', 'swap', 'turn', 'cut off', 'flip'),
    at: fc.nat(),
    by: fc.nat(),
  }),
  fc.record({ act: fc.constant('put in'), at: fc.nat(), by: fc.nat() }),
  fc.record({ act: fc.constant('number'), at: fc.nat(), by: fc.nat(), token: fc.constantFrom(...oddTokens) }),
  fc.record({ act: fc.constant('distort'), at: fc.nat(), by: fc.nat(), distortion }),
)
type Change = Parameters<Parameters<typeof change.map>[0]>[0]

const types = ['', 'application/json', 'text/html', 'text/event-stream', 'application/octet-stream']

/** How an answer is told, beside what it says. */
const telling = fc.record({
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constant(200) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(201, 204, 304, 400, 401, 403, 404, 408, 413, 429, 500, 503, 529),
    },
  ),
  /** `undefined`: as the vendor says it. */
  type: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...types) },
  ),
  /** The body's form; `other` is what the caller did not ask for. */
  form: fc.constantFrom('asked', 'asked', 'asked', 'asked', 'asked', 'asked', 'other'),
  bytes: fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }).map(text => Buffer.from(text)) },
  ),
})

/** What an answer is made of: the same for all vendors, so that a counterexample can be kept as a value. */
export const answerRecipe = fc.record({
  plan: plans,
  changes: fc.array(change, { maxLength: 3 }),
  telling,
})
export type AnswerRecipe = Parameters<Parameters<typeof answerRecipe.map>[0]>[0]

/** What a vendor sent. */
export interface VendorAnswer {
  readonly status: number
  readonly type: string
  readonly bytes: Uint8Array
}

/** Writes an answer as a vendor does, and spoils it. */
export function vendorAnswer(
  wire: Wire,
  { plan, changes, telling: told }: AnswerRecipe,
  stream: boolean,
): VendorAnswer {
  const { events, whole } = answersOf[wire](plan)
  const inEvents = told.form === 'asked' ? stream : !stream
  const type = told.type ?? (inEvents ? framing[wire].type : 'application/json')
  const frameOf = framing[wire].frame
  const texts = inEvents
    ? events.map(({ name, payload }) => ({
        name,
        text: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }))
    : [{ name: '', text: JSON.stringify(whole) }]
  for (const each of changes) {
    const place = each.at % texts.length
    const event = texts[place]
    if (event === undefined) continue
    if (each.act === 'distort') texts[place] = { ...event, text: distortedText(event.text, each.distortion) }
    if (each.act === 'number') texts[place] = { ...event, text: withToken(event.text, each.by, each.token) }
  }
  const pieces = texts.map(({ name, text }) => {
    if (!inEvents) return Buffer.from(text)
    // A frame's checksum is right whatever its payload is.
    return wire === 'converse' ? eventFrame(name, Buffer.from(text)) : frameOf({ name, payload: text })
  })
  const bytes = told.bytes ?? Buffer.concat(changes.reduce((list, each) => spoilt(list, each, wire), pieces))
  return { status: told.status, type, bytes }
}

function distortedText(text: string, how: Parameters<typeof distorted>[1]): string {
  try {
    return JSON.stringify(distorted(JSON.parse(text), how))
  } catch {
    return text
  }
}

/** Puts a token in the place of one of the numbers. */
function withToken(text: string, by: number, token: string): string {
  const numbers = [...text.matchAll(/(?<=[:[,])-?\d+(?:\.\d+)?(?=[,}\]])/g)]
  const match = numbers[by % Math.max(1, numbers.length)]
  return match === undefined
    ? text
    : text.slice(0, match.index) + token + text.slice(match.index + match[0].length)
}

function spoilt(pieces: Uint8Array[], { act, at, by }: Change, wire: Wire): Uint8Array[] {
  const place = at % Math.max(1, pieces.length)
  const piece = pieces.slice(place, place + 1)
  switch (act) {
    case 'drop':
      return pieces.toSpliced(place, 1)
    case 'repeat':
      return pieces.toSpliced(place, 0, ...piece)
    case 'swap':
      return pieces.toSpliced(place, 1).toSpliced(by % Math.max(1, pieces.length), 0, ...piece)
    case 'turn':
      return [...pieces.slice(place), ...pieces.slice(0, place)]
    case 'put in': {
      const odd = oddEvents[wire][by % oddEvents[wire].length]
      return odd === undefined ? pieces : pieces.toSpliced(place, 0, odd)
    }
    case 'cut off': {
      const bytes = Buffer.concat(pieces)
      return [bytes.subarray(0, bytes.length - (by % (bytes.length + 1)))]
    }
    case 'flip': {
      const bytes = Buffer.concat(pieces)
      const where = by % Math.max(1, bytes.length)
      if (bytes.length > 0) bytes[where] = (bytes[where] ?? 0) ^ (1 << (at % 8))
      return [bytes]
    }
    default:
      return pieces
  }
}
