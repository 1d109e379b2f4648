import type { Call, ChatRequest } from '@sluice/core/provider'
import type { ImageFetcher } from '../conversation/image-data.ts'
import { generateContentBody } from '../gemini/request-body.ts'
import type { SafetySetting } from '../gemini/safety-settings.ts'
import { vertexServiceTier } from '../gemini/service-tier.ts'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
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
  const adjuster = new ParameterAdjuster(call.unsupportedParameters, call.request)
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
    adjuster,
  )
  return {
    method: call.input.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent',
    body: { ...body, ...labelsOf(call.input, adjuster) },
    headers: vertexServiceTier(call.input.service_tier, location, adjuster),
    adjustments: adjuster.list,
  }
}

const labelKey = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const labelValue = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u
const maxLabels = 64

/**
 * `metadata` as the labels of a request, by which Google Cloud breaks down its bills. Pairs that make no label
 * are dropped and reported, without their names. Labels that the caller gave as such go before them.
 */
function labelsOf(
  { metadata, labels: given }: ChatRequest,
  adjuster: ParameterAdjuster,
): { readonly labels?: unknown } {
  if (metadata === undefined) return given === undefined || given === null ? {} : { labels: given }
  const pairs = Object.entries(metadata)
  const legal = pairs
    .filter(([name, text]) => labelKey.test(name) && labelValue.test(text))
    .slice(0, maxLabels)
  if (legal.length < pairs.length) {
    adjuster.drop('metadata', `${pairs.length - legal.length} of ${pairs.length} make no label`)
  }
  const labels = { ...Object.fromEntries(legal), ...(isFields(given) ? given : {}) }
  return Object.keys(labels).length > 0 ? { labels } : {}
}
