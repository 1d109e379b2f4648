import { GatewayError } from '@sluice/core'
import { memberPath, type Turn } from '@sluice/core/provider'
import type { UserContent } from '../conversation/conversation.ts'
import { fileData } from '../conversation/file-data.ts'
import { type ImageFetcher, imageData } from '../conversation/image-data.ts'
import { cannotSend, type ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'

/** A block of Converse: of a message, of `system`, or of a tool's result. Its one member says what it is. */
export type Block = Readonly<Record<string, unknown>>

/** What turning a user's parts into blocks needs. */
export interface UserContentContext {
  readonly fetchImage: ImageFetcher | undefined
  readonly signal: AbortSignal | undefined
  readonly adjuster: ParameterAdjuster
  /** The caller's turns, to name the one that a part is in. */
  readonly given: readonly Turn[]
  /** A name that no other document of the request has. */
  readonly documentName: () => string
}

const imageFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/jpg': 'jpeg',
}

/** No plain object: the type is the caller's word, and may be `constructor`. */
const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
])

/**
 * An image or a file of a user as a block: always as bytes. A document is given a name of ours, for Bedrock takes
 * few characters, none twice, and models may read a name as an instruction.
 *
 * Throws `GatewayError` (400): for audio, another type of file, and an image that cannot be had.
 */
export async function userBlock({ part }: UserContent, context: UserContentContext): Promise<Block> {
  const { path } = part
  switch (part.kind) {
    case 'image': {
      const { detail } = part
      if (detail !== undefined && detail !== 'auto') {
        context.adjuster.drop({ path: memberPath(part, 'image_url.detail') })
      }
      const mediaTypes = Object.keys(imageFormats)
      const { mediaType, base64 } = await imageData(part, { ...context, mediaTypes })
      return {
        image: {
          format: imageFormats[mediaType],
          source: { bytes: nonEmptyData(base64, memberPath(part, 'image_url.url')) },
        },
      }
    }
    case 'file': {
      const { mediaType, base64, filename } = fileData(part)
      const param = memberPath(part, 'file.file_data')
      const format = documentFormats.get(mediaType) ?? (mediaType.startsWith('text/') ? 'txt' : undefined)
      if (format === undefined) {
        throw cannotSend(
          param,
          `Unsupported value: '${param}' is of type '${mediaType.slice(0, 80)}'. This model takes PDF, text, CSV, HTML, Markdown, Word and Excel.`,
        )
      }
      const name = context.documentName()
      if (filename) context.adjuster.map({ path: memberPath(part, 'file.filename') }, name)
      const citations = part.extra?.citations
      return {
        document: {
          format,
          name,
          source: { bytes: nonEmptyData(base64, param) },
          ...(isFields(citations) ? { citations } : {}),
        },
      }
    }
    case 'audio':
      throw cannotSend(path, `Unsupported value: '${path}' is audio, which this model does not take.`)
  }
}

function nonEmptyData(base64: string, param: string): string {
  if (base64 !== '') return base64
  throw new GatewayError('invalid_value', { message: `Invalid '${param}': it holds no data.`, param })
}
