import type { EmbedCall, EmbedReply, EmbedRequest, Target } from '@sluice/core/provider'
import { type ScriptedAnswer, scriptedResponse } from './scripted-response.ts'

/** Members of a request for embeddings, and of its call. */
export interface EmbedParts extends Partial<Omit<EmbedRequest, 'body' | 'dialect' | 'model'>> {
  readonly key?: string
  readonly unsupportedParameters?: 'refuse' | 'drop'
}

/** A call for the embeddings of one text, unless `parts` has others. */
export function embedCall(model: string, parts: EmbedParts = {}): EmbedCall {
  const { key, unsupportedParameters, inputs = ['Hello'], encoding = 'float', ...rest } = parts
  return {
    request: { dialect: 'embeddings', model: 'public', body: {}, inputs, encoding, ...rest },
    inputs,
    model,
    ...(key === undefined ? {} : { key }),
    ...(unsupportedParameters === undefined ? {} : { unsupportedParameters }),
  }
}

/** The request that a target's provider makes of a call, its body parsed. */
export async function encodedEmbeddings({ provider, model }: Target, parts?: EmbedParts) {
  const { body, adjustments = [], ...request } = await provider.embed!.encode(embedCall(model, parts))
  return { ...request, adjustments, body: JSON.parse(String(body)) as Record<string, unknown> }
}

/** What a target's provider makes of an answer; an object is sent as JSON. */
export async function decodedEmbeddings(
  { provider, model }: Target,
  answer: ScriptedAnswer | { readonly json: unknown; readonly headers?: Readonly<Record<string, string>> },
  parts?: EmbedParts,
): Promise<EmbedReply> {
  const given =
    'json' in answer ? { headers: answer.headers ?? {}, body: JSON.stringify(answer.json) } : answer
  return provider.embed!.decode(scriptedResponse(given), embedCall(model, parts))
}
