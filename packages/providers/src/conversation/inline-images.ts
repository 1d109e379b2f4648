import type { Message, UserPart } from '@sluice/core/provider'
import { type ImageSource, imageData } from './image-data.ts'

/**
 * The messages with every linked image as a data URL, for vendors that take images as data only. Images are
 * fetched one after the other. Throws `GatewayError` (400) as `imageData` does.
 */
export async function withInlineImages(
  messages: readonly Message[],
  source: ImageSource,
): Promise<readonly Message[]> {
  const inlined: Message[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || typeof message.content === 'string') inlined.push(message)
    else {
      const content = await inlineParts(message.content, `messages[${index}].content`, source)
      inlined.push({ ...message, content })
    }
  }
  return inlined
}

async function inlineParts(
  parts: readonly UserPart[],
  path: string,
  source: ImageSource,
): Promise<readonly UserPart[]> {
  const inlined: UserPart[] = []
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'image_url' || /^data:/i.test(part.image_url.url)) inlined.push(part)
    else {
      const { mediaType, base64 } = await imageData(part, `${path}[${index}]`, source)
      const url = `data:${mediaType};base64,${base64}`
      inlined.push({ ...part, image_url: { ...part.image_url, url } })
    }
  }
  return inlined
}
