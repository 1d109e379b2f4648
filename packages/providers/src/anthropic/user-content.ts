import { GatewayError } from '@sluice/core'
import type { FilePart, ImagePart, JsonObject } from '@sluice/core/provider'
import type { UserContent } from '../conversation/conversation.ts'
import { dataUrl } from '../conversation/data-url.ts'
import { fileData, textOfBase64 } from '../conversation/file-data.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Block, withCacheMark } from './text-blocks.ts'

/** The types of images that Claude takes. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/**
 * An image or a file of a user as a block. Throws `GatewayError` (400) for audio, for a file that is neither PDF
 * nor text, and for an image by http or of another type.
 */
export function userBlock({ part, path, cacheControl }: UserContent, adjuster: ParameterAdjuster): Block {
  const mark = withCacheMark(cacheControl)
  switch (part.type) {
    case 'image_url':
      return { type: 'image', source: imageSource(part, path, adjuster), ...mark }
    case 'file':
      return { ...documentBlock(part, path), ...mark }
    case 'input_audio':
      throw cannotSend(path, `Unsupported value: '${path}' is audio, which this model does not take.`)
  }
}

function imageSource({ image_url: image }: ImagePart, path: string, adjuster: ParameterAdjuster): JsonObject {
  const param = `${path}.image_url.url`
  const { url, detail } = image
  if (detail !== undefined && detail !== 'auto') adjuster.drop(`${path}.image_url.detail`)
  if (/^https:/i.test(url)) return { type: 'url', url }
  if (!/^data:/i.test(url)) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is a link without TLS. This model takes https links and data URLs: 'data:image/png;base64,...'.`,
    )
  }
  const inline = dataUrl(url)
  if (inline === undefined)
    throw new GatewayError('invalid_value', { message: `Invalid '${param}': it is no data URL.`, param })
  const mediaType = inline.mediaType === 'image/jpg' ? 'image/jpeg' : inline.mediaType
  if (imageTypes.includes(mediaType)) return { type: 'base64', media_type: mediaType, data: inline.base64 }
  throw cannotSend(
    param,
    `Unsupported value: '${param}' is of type '${mediaType.slice(0, 60)}'. This model takes ${imageTypes.join(', ')}.`,
  )
}

function documentBlock(part: FilePart, path: string): Block {
  const { mediaType, base64, filename } = fileData(part, path)
  const title = filename === undefined || filename === '' ? {} : { title: filename }
  const { citations } = part as { readonly citations?: unknown }
  const cited = typeof citations === 'object' && citations !== null ? { citations } : {}
  return { type: 'document', source: documentSource(mediaType, base64, path), ...title, ...cited }
}

function documentSource(mediaType: string, base64: string, path: string): JsonObject {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: base64 }
  const param = `${path}.file.file_data`
  if (!mediaType.startsWith('text/')) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is of type '${mediaType.slice(0, 80)}'. This model takes PDF and text.`,
    )
  }
  const text = textOfBase64(base64)
  if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text }
  throw new GatewayError('invalid_value', {
    message: `Invalid '${param}': it is said to be '${mediaType.slice(0, 80)}', and is no text in UTF-8.`,
    param,
  })
}
