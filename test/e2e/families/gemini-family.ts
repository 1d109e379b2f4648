import { gemini } from '@sluice/providers'
import { type Family, halves, json, type Saying, sse, used } from './family.ts'

interface Part {
  readonly text?: string
  readonly thoughtSignature?: string
  readonly functionResponse?: { readonly response: unknown; readonly parts?: readonly Part[] }
  readonly inlineData?: { readonly mimeType: string }
}

const usageMetadata = {
  promptTokenCount: used.prompt,
  cachedContentTokenCount: used.cached,
  candidatesTokenCount: used.completion,
  totalTokenCount: used.prompt + used.completion,
}

/** The Gemini API. */
export const geminiFamily: Family = {
  name: 'gemini',
  question(body, path) {
    const contents = body.contents as readonly { role: string; parts: readonly Part[] }[]
    const last = contents.at(-1)!.parts
    const parts = contents.flatMap(content => content.parts)
    const inside = parts.flatMap(part => [part, ...(part.functionResponse?.parts ?? [])])
    const tools = (body.tools ?? []) as readonly { functionDeclarations?: readonly { name: string }[] }[]
    const config = body.generationConfig as { responseMimeType?: string } | undefined
    return {
      text: last.map(({ text }) => text ?? '').join(''),
      results: last.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify(functionResponse.response)],
      ),
      tools: tools.flatMap(({ functionDeclarations }) =>
        (functionDeclarations ?? []).map(({ name }) => name),
      ),
      wantsJson: config?.responseMimeType === 'application/json',
      stream: path.includes(':streamGenerateContent'),
      media: inside.flatMap(({ inlineData }) => (inlineData === undefined ? [] : [inlineData.mimeType])),
      signatures: parts.flatMap(({ thoughtSignature }) =>
        thoughtSignature === undefined ? [] : [thoughtSignature],
      ),
    }
  },
  answer(saying, stream) {
    const candidate = (parts: object[], more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      modelVersion: 'model',
      usageMetadata,
    })
    if (!stream) return json(200, candidate(partsOf(saying), { finishReason: 'STOP' }))
    const { thought, text, calls } = saying
    const said = [
      ...halves(thought?.text ?? '').map(half => [{ text: half, thought: true }]),
      ...halves(text ?? '').map(half => [{ text: half }]),
      ...(calls === undefined ? [] : [callParts(saying)]),
    ]
    return sse(
      [...said.map(parts => candidate(parts)), candidate([{ text: '' }], { finishReason: 'STOP' })].map(
        data => `data: ${JSON.stringify(data)}`,
      ),
    )
  },
  error: (status, message) => json(status, { error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
  entry: baseURL => gemini({ apiKey: 'vendor-key', baseURL: `${baseURL}/v1beta` })('model'),
}

function partsOf(saying: Saying): object[] {
  const { thought, text } = saying
  return [
    ...(thought === undefined ? [] : [{ text: thought.text, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    ...callParts(saying),
  ]
}

/** The signature of a thought sits on the first call. */
function callParts({ calls, thought }: Saying): object[] {
  return (calls ?? []).map(({ name, input }, at) => ({
    functionCall: { name, args: input },
    ...(at === 0 && thought !== undefined && { thoughtSignature: thought.signature }),
  }))
}
