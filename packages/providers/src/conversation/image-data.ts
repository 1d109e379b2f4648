import { GatewayError } from '@sluice/core'
import { type ImageTurnPart, memberPath } from '@sluice/core/provider'
import { cannotSend } from '../parameters/parameter-adjuster.ts'
import { base64Of, dataUrl, type InlineData } from './data-url.ts'

/** A fetched image. */
export interface FetchedImage {
  /** `image/png`; parameters are ignored. */
  readonly mediaType: string
  readonly data: Uint8Array
}

/**
 * Fetches an image for a provider that accepts images only as data. The URL comes from the caller, so the function has
 * to reject URLs that it must not fetch. A `GatewayError` that it throws reaches the caller; for any other error the
 * caller gets `invalid_image_url` without its message.
 */
export type ImageFetcher = (url: string, signal: AbortSignal) => Promise<FetchedImage>

/** Where an image's bytes come from, and which kinds the vendor takes. */
export interface ImageSource {
  readonly fetchImage: ImageFetcher | undefined
  readonly signal: AbortSignal | undefined
  /** Media types that the vendor takes: `image/png`. */
  readonly mediaTypes: readonly string[]
}

/**
 * Returns the URL of an image. Throws `GatewayError` (400) for the id of a file, which is valid only at the vendor that
 * issued it.
 */
export function imageUrl(part: ImageTurnPart): string {
  if (part.url !== undefined) return part.url
  const { path } = part
  throw cannotSend(
    path,
    `Unsupported value: '${path}' is the id of a file, and this model takes images by URL or as data. Send it as a data URL: 'data:image/png;base64,...'.`,
  )
}

/**
 * An image as data, for vendors that take nothing else. Throws `GatewayError` (400): a URL while no fetcher is
 * set, an image that could not be fetched, a media type that the vendor does not take.
 */
export async function imageData(part: ImageTurnPart, source: ImageSource): Promise<InlineData> {
  const url = imageUrl(part)
  const param = memberPath(part, 'image_url.url')
  const image = /^data:/i.test(url) ? inline(url, param) : await fetched(url, param, source)
  if (source.mediaTypes.includes(image.mediaType)) return image
  throw cannotSend(
    param,
    `Unsupported value: '${param}' is of type '${image.mediaType.slice(0, 60)}'. This model takes ${source.mediaTypes.join(', ')}.`,
  )
}

function inline(url: string, param: string): InlineData {
  const data = dataUrl(url)
  if (data !== undefined) return data
  throw new GatewayError('invalid_value', { message: `Invalid '${param}': it is no data URL.`, param })
}

async function fetched(url: string, param: string, { fetchImage, signal }: ImageSource): Promise<InlineData> {
  if (fetchImage === undefined) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is a link, and this model takes images as data only. Send it as a data URL: 'data:image/png;base64,...'.`,
    )
  }
  try {
    const { mediaType, data } = await fetchImage(url, signal ?? new AbortController().signal)
    return { mediaType: (mediaType.split(';')[0] ?? '').trim().toLowerCase(), base64: base64Of(data) }
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause
    throw new GatewayError('invalid_image_url', { param, cause })
  }
}

/** Throws `TypeError` for a fetcher of images that is no function. */
export function checkFetchImage(fetchImage: unknown, owner: string): void {
  if (fetchImage === undefined || typeof fetchImage === 'function') return
  throw new TypeError(`${owner}: got fetchImage of type ${typeof fetchImage}, expected a function.`)
}
