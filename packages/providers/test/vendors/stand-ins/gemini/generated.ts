import { type Plan, wordsOf } from '../plan.ts'
import { signatureOf } from '../signature.ts'
import type { Part } from './generate-request.ts'
import { callSignature } from './generate-rules.ts'

/** A whole answer of generateContent. `signs`: with thought signatures, as newer models give them. */
export function generated(plan: Plan, model: string, signs: boolean, tellsThoughts: boolean): object {
  const parts = partsOf(plan, signs, tellsThoughts)
  return response(plan, model, parts, true)
}

/** The data of a streamed one: a whole response each, with counts that add up. */
export function generatedEvents(plan: Plan, model: string, signs: boolean, tellsThoughts: boolean): object[] {
  const parts = partsOf(plan, signs, tellsThoughts).flatMap(inPieces)
  return parts.map((part, index) => response(plan, model, [part], index === parts.length - 1))
}

/** Events as the vendor frames them. */
export function generateEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`
}

function response(plan: Plan, model: string, parts: readonly Part[], last: boolean): object {
  const { usage, end } = plan
  const spoken = usage.output - usage.thinking
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        ...(last ? { finishReason: end === 'length' ? 'MAX_TOKENS' : 'STOP' } : {}),
        index: 0,
        ...(last && end === 'calls' ? { finishMessage: 'Model generated function call(s).' } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.prompt,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: last ? spoken : 1,
      totalTokenCount: usage.prompt + usage.output,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.prompt }],
      ...(usage.thinking > 0 ? { thoughtsTokenCount: usage.thinking } : {}),
      serviceTier: 'standard',
    },
    modelVersion: model,
    responseId: 'StandInStandInStandIn00',
  }
}

function partsOf({ thinking, text, calls }: Plan, signs: boolean, tellsThoughts: boolean): Part[] {
  return [
    ...(thinking !== undefined && tellsThoughts ? [{ text: thinking, thought: true }] : []),
    ...(text === '' ? [] : [{ text, ...(signs ? { thoughtSignature: signatureOf('google', text) } : {}) }]),
    ...calls.map(({ name, input }, index) => {
      const call: Part = { functionCall: { name, args: input } }
      return signs && index === 0 ? { ...call, thoughtSignature: callSignature(call) } : call
    }),
  ]
}

/** Text comes word by word, and its signature after it with an empty text; a call comes whole. */
function inPieces(part: Part): Part[] {
  if (part.text === undefined) return [part]
  const { text, thoughtSignature, ...rest } = part
  const words = wordsOf(text).map(word => ({ text: word, ...rest }))
  return thoughtSignature === undefined ? words : [...words, { text: '', thoughtSignature }]
}
