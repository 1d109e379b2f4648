import { equal, ok } from 'node:assert/strict'
import { UpstreamError } from '@sluice/core'
import fc from 'fast-check'
import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import { decoderExamples } from '../examples/decoders.ts'
import { fuzz } from '../fuzz.ts'
import { cutBy } from '../sse/event-texts.ts'
import { AskedVendor, type Asking, type Told } from './asked-vendor.ts'
import { holdsEndMark } from './end-marks.ts'
import { completionFaults, errorFaults } from './told-parts.ts'
import { toldStream } from './told-stream.ts'
import { answerRecipe, vendorAnswer } from './vendor-answers.ts'
import { type VendorTargets, vendorTargets } from './vendors.ts'

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const structured = { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } }

const asking: fc.Arbitrary<Asking> = fc.record({
  stream: fc.constantFrom(true, true, true, false),
  includeUsage: fc.boolean(),
  rest: fc.constantFrom({}, {}, { tools }, { response_format: structured }),
})
/** The sizes of the reads. Byte by byte is slow, and seldom finds what a few cuts do not. */
const reads = fc.oneof(
  { weight: 8, arbitrary: fc.constant([100_000]) },
  { weight: 10, arbitrary: fc.array(fc.constantFrom(1, 2, 20, 100, 500), { minLength: 1, maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constant([1]) },
)
const input = fc.record({
  which: fc.nat({ max: 1 }),
  asking,
  recipe: answerRecipe,
  sizes: reads,
  again: fc.nat({ max: 9 }),
})

/** What is thrown at a provider's decoder. */
export type DecoderInput = Parameters<Parameters<typeof input.map>[0]>[0]

/**
 * The target of one provider: spoilt answers, in any pieces, through the whole gateway. What comes out is an answer by
 * the protocol or a failure of the upstream's, whatever comes in.
 */
export function fuzzDecoder(name: keyof typeof vendorTargets): void {
  const models: VendorTargets = vendorTargets[name]
  const vendors = models.map(({ target, wire }) => ({ wire, vendor: new AskedVendor(target) }))
  fuzz({
    name: `decoder: ${name}`,
    cases: 100_000,
    quick: 400,
    input,
    examples: decoderExamples,
    async check({ which, asking: asked, recipe, sizes, again }) {
      const chosen = vendors[which % vendors.length] ?? vendors[0]
      if (chosen === undefined) return
      const { vendor, wire } = chosen
      const answer = vendorAnswer(wire, recipe, asked.stream)
      const told = await vendor.ask(asked, answer, cutBy(answer.bytes, sizes))
      expectTruth(told, asked, answer.bytes, wire)
      if (again > 0) return
      const whole = await vendor.ask(asked, answer, [answer.bytes])
      equal(whole.status, told.status)
      equal(withoutIds(whole.text), withoutIds(told.text))
    },
  })
}

function expectTruth(
  { status, text, end, error }: Told,
  { stream, includeUsage }: Asking,
  bytes: Uint8Array,
  wire: Wire,
): void {
  const completed = end.outcome === 'completed'
  if (!completed) ok(UpstreamError.is(error), `${end.outcome}: ${(error as Error | undefined)?.stack}`)
  if (status !== 200 || !stream) {
    const faults = status === 200 ? completionFaults(JSON.parse(text)) : errorFaults(JSON.parse(text))
    equal(faults.join(), '', text)
    equal(completed, status === 200)
    return
  }
  const { done, faults } = toldStream(text, includeUsage)
  equal(faults.join(), '', text)
  equal(completed, done)
  if (done) ok(holdsEndMark(bytes, wire), 'an end was told that was not in the bytes')
}

/** Ids that the gateway makes are made in the order in which they are needed. */
function withoutIds(text: string): string {
  return text.replace(/\b(?:chatcmpl-|call_|req_)\w+/g, '')
}
