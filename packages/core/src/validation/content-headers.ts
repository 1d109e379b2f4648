import { GatewayError } from '../errors/errors.ts'
import { shorten } from '../protocol/wording.ts'

interface HeaderReader {
  get(name: string): string | null
}

const advice = 'Please try again with a supported content type.'

/** Takes `application/json` in UTF-8, in any case and with any other parameters. Throws 400. */
export function checkContentType(headers: HeaderReader): void {
  const value = headers.get('content-type')
  if (value === 'application/json') return
  if (value === null) {
    throw new GatewayError('unsupported_content_type', {
      message: `Unsupported content type. This API method only accepts 'application/json' requests, but you specified no 'Content-Type' header. ${advice}`,
    })
  }
  const [type = '', ...parameters] = value.split(';')
  if (type.trim().toLowerCase() === 'application/json' && parameters.every(isUtf8)) return
  const shown = type.trim().toLowerCase() === 'application/json' ? value : type
  throw new GatewayError('unsupported_content_type', {
    message: `Unsupported content type: '${shorten(shown.trim())}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${shorten(value)}'. ${advice}`,
  })
}

/** Whether a parameter of a media type is not a charset other than UTF-8. */
function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=')
  return name.trim().toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(value.trim())
}

/** Takes no coding: what is inflated here would have to be bounded anew. Throws 400. */
export function checkContentEncoding(headers: HeaderReader): void {
  const value = headers.get('content-encoding')
  if (value === null || value.trim() === '' || value.trim().toLowerCase() === 'identity') return
  throw new GatewayError('invalid_request', {
    message: `Unsupported content encoding: '${shorten(value)}'. Expected the body as it is, without the header 'Content-Encoding'.`,
  })
}
