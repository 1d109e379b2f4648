import { GatewayError } from '@sluice/core'
import type { FilePart } from '@sluice/core/provider'
import { cannotSend } from '../parameters/parameter-adjuster.ts'
import { dataUrl, type InlineData } from './data-url.ts'

/** A file that a caller sent within the request. */
export interface InlineFile extends InlineData {
  readonly filename: string | undefined
}

/** No plain object: the ending is the caller's, and may be `constructor`. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
])

/**
 * Returns a file's data: `file_data` as a data URL, or as plain base64 with a `filename` whose extension gives the type.
 * Throws `GatewayError` (400) for a `file_id`, which is valid only at the vendor that issued it, and for data of unknown
 * type.
 *
 * @param path - the part's: `messages[0].content[1]`.
 */
export function fileData({ file }: FilePart, path: string): InlineFile {
  const { file_id, file_data, filename } = file
  if (file_data === undefined) {
    const param = file_id === undefined ? `${path}.file.file_data` : `${path}.file.file_id`
    throw cannotSend(
      param,
      `Unsupported value: '${path}.file' has no 'file_data', and this model takes files as data only. Send it as a data URL: 'data:application/pdf;base64,...'.`,
    )
  }
  const inline = dataUrl(file_data)
  if (inline !== undefined) return { ...inline, filename }
  const mediaType = byExtension.get(filename?.split('.').at(-1)?.toLowerCase() ?? '')
  if (mediaType !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(file_data)) {
    return { mediaType, base64: file_data, filename }
  }
  throw new GatewayError('invalid_value', {
    message: `Invalid '${path}.file.file_data': expected a data URL, such as 'data:application/pdf;base64,...'.`,
    param: `${path}.file.file_data`,
  })
}

/** Base64 text as UTF-8; `undefined` where it is neither. */
export function textOfBase64(base64: string): string | undefined {
  try {
    const binary = atob(base64)
    // Thirty times as fast as `Uint8Array.from`: a file may have many megabytes.
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
