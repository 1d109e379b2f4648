import type { ImageTurnPart, ResultPart, ResultTurnPart, Turn, TurnPart } from '@sluice/core/provider'
import { type ImageSource, imageData } from './image-data.ts'

/**
 * The turns with every linked image as a data URL, for vendors that take images as data only. Images are
 * fetched one after the other. Throws `GatewayError` (400) as `imageData` does.
 */
export async function withInlineImages(
  turns: readonly Turn[],
  source: ImageSource,
): Promise<readonly Turn[]> {
  const inlined: Turn[] = []
  for (const turn of turns) {
    inlined.push(hasImage(turn.parts) ? { ...turn, parts: await inlineParts(turn.parts, source) } : turn)
  }
  return inlined
}

function hasImage(parts: readonly TurnPart[]): boolean {
  return parts.some(({ kind }) => kind === 'image' || kind === 'result')
}

async function inlineParts(parts: readonly TurnPart[], source: ImageSource): Promise<readonly TurnPart[]> {
  const inlined: TurnPart[] = []
  for (const part of parts) {
    if (part.kind === 'image') inlined.push(await inlineImage(part, source))
    else if (part.kind === 'result') inlined.push({ ...part, parts: await inlineResult(part, source) })
    else inlined.push(part)
  }
  return inlined
}

async function inlineResult(
  { parts }: ResultTurnPart,
  source: ImageSource,
): Promise<ResultTurnPart['parts']> {
  const inlined: ResultPart[] = []
  for (const part of parts) inlined.push(part.kind === 'image' ? await inlineImage(part, source) : part)
  return inlined
}

async function inlineImage(part: ImageTurnPart, source: ImageSource): Promise<ImageTurnPart> {
  if (part.url === undefined || /^data:/i.test(part.url)) return part
  const { mediaType, base64 } = await imageData(part, source)
  return { ...part, url: `data:${mediaType};base64,${base64}` }
}
