type Body = Record<string, unknown>

/**
 * The same body with a number in each text, file and tool result, so that it can be told whether one got lost,
 * came twice, or came out of order. Blank texts stay blank.
 */
export function marked(body: Body): Body {
  let count = 0
  const mark = (text: string) => (text.trim() === '' ? text : `<${++count}> ${text}`)
  const data = () => Buffer.from(`data of ${++count}`).toString('base64')
  const part = (value: unknown): unknown => {
    const { type, text, refusal, image_url: image, input_audio: audio, file, ...rest } = value as Body
    if (typeof text === 'string') return { ...rest, type, text: mark(text) }
    if (typeof refusal === 'string') return { ...rest, type, refusal: mark(refusal) }
    if (isBody(image)) return { type, image_url: { ...image, url: withData(String(image.url), data) } }
    if (isBody(audio)) return { type, input_audio: { ...audio, data: data() } }
    if (isBody(file) && typeof file.file_data === 'string') {
      return { type, file: { ...file, file_data: withData(file.file_data, data) } }
    }
    return value
  }
  const content = (value: unknown): unknown => {
    if (typeof value === 'string') return mark(value)
    return Array.isArray(value) ? value.map(part) : value
  }
  const messages = (body.messages as Body[]).map(message => ({
    ...message,
    ...('content' in message ? { content: content(message.content) } : {}),
    ...(typeof message.refusal === 'string' ? { refusal: mark(message.refusal) } : {}),
  }))
  return { ...body, messages }
}

function withData(url: string, data: () => string): string {
  return url.endsWith(';base64,') ? url + data() : url
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null
}
