import { type Call, type Turn, turnsOf } from '@sluice/core/provider'
import { validateBetas, validateMaxTokens } from '../anthropic/check-options.ts'
import { requestBody } from '../anthropic/request-body.ts'
import { imageTypes } from '../anthropic/user-content.ts'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { withInlineImages } from '../conversation/inline-images.ts'
import type { ModelRequest } from './model-request.ts'

/** The version of the Messages API at Google. */
export const version = 'vertex-2023-10-16'

/** What the owner wants of each request to a Claude model. */
export interface ClaudeSettings {
  readonly defaultMaxTokens: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fetchImage: ImageFetcher | undefined
}

/** Throws `TypeError` for a bound and for names of betas that are none. */
export function claudeSettings({
  defaultMaxTokens,
  beta,
  fetchImage,
}: {
  readonly defaultMaxTokens?: number | undefined
  readonly beta?: readonly string[] | undefined
  readonly fetchImage?: ImageFetcher | undefined
}): ClaudeSettings {
  const betas = validateBetas(beta, 'vertex')
  return {
    defaultMaxTokens: validateMaxTokens(defaultMaxTokens, 'vertex'),
    headers: betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') },
    fetchImage,
  }
}

/**
 * A request to a Claude model: that of the Messages API, but that the path names the model and the body the
 * version. Unlike Anthropic itself, Google takes images as data only. Throws `GatewayError` (400) for what it
 * cannot express.
 */
export async function claudeRequest(call: Call, settings: ClaudeSettings): Promise<ModelRequest> {
  const { defaultMaxTokens, headers } = settings
  const turns = await withImages(call, settings)
  const { body, adjustments } = requestBody(call, { defaultMaxTokens }, turns)
  const { model: _, ...rest } = body
  return {
    method: call.input.stream === true ? 'streamRawPredict' : 'rawPredict',
    body: { anthropic_version: version, ...rest },
    headers,
    adjustments,
  }
}

/** Returns the turns of a call, with images as data. Throws `GatewayError` (400) for an image that cannot be fetched. */
export function withImages(call: Call, { fetchImage }: ClaudeSettings): Promise<readonly Turn[]> {
  return withInlineImages(turnsOf(call), { fetchImage, signal: call.signal, mediaTypes: imageTypes })
}
