import type { Call } from '@sluice/core'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { generateContentBody } from '../gemini/request-body.ts'
import type { SafetySetting } from '../gemini/safety-settings.ts'
import { vertexServiceTier } from '../gemini/service-tier.ts'
import { Adjusting } from '../parameters/adjusting.ts'
import { labelsOf } from './labels.ts'
import type { ModelRequest } from './model-request.ts'
import { vertexNative, vertexParameters } from './parameters.ts'

/** What the owner wants of each request to a Gemini model. */
export interface GeminiSettings {
  readonly location: string
  readonly safetySettings: readonly SafetySetting[] | undefined
  readonly fetchImage: ImageFetcher | undefined
}

/** A request to a Gemini model. Throws `GatewayError` (400) for what it cannot express. */
export async function geminiRequest(
  call: Call,
  { location, safetySettings, fetchImage }: GeminiSettings,
): Promise<ModelRequest> {
  const adjusting = new Adjusting(call.unsupportedParameters)
  const body = await generateContentBody(
    call,
    {
      api: 'vertex',
      rules: vertexParameters,
      native: vertexNative,
      safetySettings,
      images: { fetchImage, signal: call.signal },
      // It would fetch any URL, but only where the page's owner lets robots in; and nobody here would know.
      readsUrl: () => false,
    },
    adjusting,
  )
  return {
    method: call.input.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent',
    body: { ...body, ...labelsOf(call.input, adjusting) },
    headers: vertexServiceTier(call.input.service_tier, location, adjusting),
    adjustments: adjusting.list,
  }
}
