import { type AudioTurnPart, type FileTurnPart, type ImageTurnPart, memberPath } from '@sluice/core/provider'
import type { UserContent } from '../conversation/conversation.ts'
import { fileData } from '../conversation/file-data.ts'
import { type ImageSource, imageData, imageUrl } from '../conversation/image-data.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** A `Part` of a request's contents. */
export type Part = Readonly<Record<string, unknown>>

/** How the parts of a user's message are sent. */
export interface PartSettings {
  readonly images: Omit<ImageSource, 'mediaTypes'>
  /** Whether the service reads what a URL means by itself. */
  readonly readsUrl: (url: string) => boolean
  /** Whether the model takes `mediaResolution` of single parts. */
  readonly mediaResolution: boolean
}

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']
const fileTypes =
  /^(?:text|image|audio|video)\/|^application\/(?:pdf|json|xml|rtf|(?:x-)?javascript|(?:x-)?python)$/
const resolutions = { low: 'MEDIA_RESOLUTION_LOW', high: 'MEDIA_RESOLUTION_HIGH' }

/** An image, sound or file of a user's message. Throws `GatewayError` (400) for what Gemini does not take. */
export async function userPart(
  { part }: UserContent,
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part> {
  switch (part.kind) {
    case 'image':
      return imagePart(part, settings, adjuster)
    case 'audio':
      return audioPart(part)
    case 'file':
      return filePart(part, adjuster)
  }
}

async function imagePart(
  part: ImageTurnPart,
  { images, readsUrl, mediaResolution }: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part> {
  const { detail } = part
  const url = imageUrl(part)
  const level = detail === 'low' || detail === 'high' ? resolutions[detail] : undefined
  if (level !== undefined && !mediaResolution) {
    adjuster.drop({ path: memberPath(part, 'image_url.detail') })
  }
  const resolution = level === undefined || !mediaResolution ? {} : { mediaResolution: { level } }
  if (readsUrl(url)) return { fileData: { fileUri: url }, ...resolution }
  const { mediaType, base64 } = await imageData(withUsualType(part, url), {
    ...images,
    mediaTypes: imageTypes,
  })
  return { inlineData: { mimeType: mediaType, data: base64 }, ...resolution }
}

/** Many call a JPEG `image/jpg`, which is not its registered name. */
function withUsualType(part: ImageTurnPart, url: string): ImageTurnPart {
  const usual = url.replace(/^data:image\/jpg(?=[;,])/i, 'data:image/jpeg')
  return usual === url ? part : { ...part, url: usual }
}

function audioPart({ data, format }: AudioTurnPart): Part {
  return { inlineData: { mimeType: `audio/${format}`, data } }
}

function filePart(part: FileTurnPart, adjuster: ParameterAdjuster): Part {
  const { mediaType, base64, filename } = fileData(part)
  if (!fileTypes.test(mediaType)) {
    const param = memberPath(part, 'file.file_data')
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is of type '${mediaType.slice(0, 80)}'. This model takes PDF and text.`,
    )
  }
  if (filename !== undefined) adjuster.drop({ path: memberPath(part, 'file.filename') })
  return { inlineData: { mimeType: mediaType, data: base64 } }
}
