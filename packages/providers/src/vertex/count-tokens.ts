import type { Call, CountReply, NativeCall, UpstreamResponse } from '@sluice/core/provider'
import { bodyBetas, type KnownBetas } from '../anthropic/body-betas.ts'
import { countBody, nativeCountBody } from '../anthropic/count-tokens.ts'
import { parseGoogleError } from '../gemini/google-error.ts'
import { decodeCount } from '../wire/decode-count.ts'
import { exactJsonText } from '../wire/exact-json.ts'
import type { Fields } from '../wire/json-value.ts'
import { type ClaudeSettings, version, withImages } from './claude-request.ts'
import type { ModelResource } from './model-resource.ts'

/** What counts the tokens of a prompt: Claude models have a resource for it in place of their own. */
export function countUrl(base: string, { path, claude }: ModelResource): string {
  return claude === undefined
    ? `${base}/${path}:countTokens`
    : `${base}/${path.slice(0, path.lastIndexOf('/'))}/count-tokens:rawPredict`
}

/** Returns the body of a request to count the tokens of a message for a Claude model. */
export async function claudeCountBody(call: Call, model: string, settings: ClaudeSettings): Promise<string> {
  const body = countBody({ ...call, model }, await withImages(call, settings))
  return exactJsonText({ anthropic_version: version, ...body })
}

/** Returns the caller's body of such a request. */
export function nativeClaudeCountBody(
  call: NativeCall,
  model: string,
  known: KnownBetas,
  betas: readonly string[],
): string {
  const own = [
    { path: ['model'], value: model },
    { path: ['anthropic_version'], value: version },
    ...bodyBetas(call, known, betas).edits,
  ]
  return nativeCountBody(call, own, false)
}

/** Returns the body of a request to count the tokens of a prompt for a Gemini model, given that of an answer. */
export function geminiCountBody({ contents, systemInstruction, tools, generationConfig }: Fields): string {
  return exactJsonText({
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
    ...(generationConfig === undefined ? {} : { generationConfig }),
  })
}

/** Decodes the response. Throws `UpstreamError`. */
export function decodeVertexCount(
  response: UpstreamResponse,
  { claude }: ModelResource,
): Promise<CountReply> {
  return decodeCount(response, claude === undefined ? 'totalTokens' : 'input_tokens', parseGoogleError)
}
