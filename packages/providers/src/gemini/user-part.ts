import type { AudioPart, FilePart, ImagePart } from '@sluice/core/provider'
import type { UserContent } from '../conversation/conversation.ts'
import { fileData } from '../conversation/file-data.ts'
import { type ImageSource, imageData } from '../conversation/image-data.ts'
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
  { part, path }: UserContent,
  settings: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part> {
  switch (part.type) {
    case 'image_url':
      return imagePart(part, path, settings, adjuster)
    case 'input_audio':
      return audioPart(part)
    case 'file':
      return filePart(part, path, adjuster)
  }
}

async function imagePart(
  part: ImagePart,
  path: string,
  { images, readsUrl, mediaResolution }: PartSettings,
  adjuster: ParameterAdjuster,
): Promise<Part> {
  const { url, detail } = part.image_url
  const level = detail === 'low' || detail === 'high' ? resolutions[detail] : undefined
  if (level !== undefined && !mediaResolution) adjuster.drop(`${path}.image_url.detail`)
  const resolution = level === undefined || !mediaResolution ? {} : { mediaResolution: { level } }
  if (readsUrl(url)) return { fileData: { fileUri: url }, ...resolution }
  const { mediaType, base64 } = await imageData(withUsualType(part), path, {
    ...images,
    mediaTypes: imageTypes,
  })
  return { inlineData: { mimeType: mediaType, data: base64 }, ...resolution }
}

/** Many call a JPEG `image/jpg`, which is not its registered name. */
function withUsualType(part: ImagePart): ImagePart {
  const { url } = part.image_url
  const usual = url.replace(/^data:image\/jpg(?=[;,])/i, 'data:image/jpeg')
  return usual === url ? part : { ...part, image_url: { ...part.image_url, url: usual } }
}

function audioPart({ input_audio }: AudioPart): Part {
  return { inlineData: { mimeType: `audio/${input_audio.format}`, data: input_audio.data } }
}

function filePart(part: FilePart, path: string, adjuster: ParameterAdjuster): Part {
  const { mediaType, base64, filename } = fileData(part, path)
  if (!fileTypes.test(mediaType)) {
    throw cannotSend(
      `${path}.file.file_data`,
      `Unsupported value: '${path}.file.file_data' is of type '${mediaType.slice(0, 80)}'. This model takes PDF and text.`,
    )
  }
  if (filename !== undefined) adjuster.drop(`${path}.file.filename`)
  return { inlineData: { mimeType: mediaType, data: base64 } }
}
