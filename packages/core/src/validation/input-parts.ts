import type { Message } from '../protocol/chat.ts'

/** What a message can hold besides text. */
export type InputKind = 'image' | 'audio' | 'file'

/** A part of a message that not every model takes. */
export interface InputPart {
  readonly kind: InputKind
  /** Its `type`, as the caller wrote it. */
  readonly type: string
  /** `messages[0].content[1].type` */
  readonly path: string
}

const kinds: Readonly<Record<string, InputKind | undefined>> = {
  image_url: 'image',
  input_audio: 'audio',
  file: 'file',
}

/** The first part of each kind that the messages hold. */
export function inputParts(messages: readonly Message[]): readonly InputPart[] {
  const found = new Map<InputKind, InputPart>()
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'user' || !Array.isArray(content)) continue
    for (const [at, { type }] of content.entries()) {
      const kind = kinds[type]
      if (kind === undefined || found.has(kind)) continue
      found.set(kind, { kind, type, path: `messages[${index}].content[${at}].type` })
    }
  }
  return Array.from(found.values())
}
