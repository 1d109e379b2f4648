/** The media types that are asked for: those that every vendor takes. */
export const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

export type ImageType = (typeof imageTypes)[number]

/** The type that a `content-type` names, or `undefined`. `image/jpg` is no type, and is often said. */
export function imageTypeOf(contentType: string | undefined): ImageType | undefined {
  const name = (contentType?.split(';')[0] ?? '').trim().toLowerCase()
  return name === 'image/jpg' ? 'image/jpeg' : imageTypes.find(type => type === name)
}

/** Whether data begins as data of a type does. */
export function beginsAs(type: ImageType, data: Uint8Array): boolean {
  const head = String.fromCharCode(...data.subarray(0, 12))
  switch (type) {
    case 'image/jpeg':
      return head.startsWith('\xff\xd8\xff')
    case 'image/png':
      return head.startsWith('\x89PNG\r\n\x1a\n')
    case 'image/gif':
      return head.startsWith('GIF87a') || head.startsWith('GIF89a')
    case 'image/webp':
      return head.startsWith('RIFF') && head.endsWith('WEBP')
  }
}
