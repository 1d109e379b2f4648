import type { ChatImage } from './chat-types.ts'

/** The types that the providers read. */
export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const maxImageBytes = 15 * 1_048_576

/** Reads files as images. Throws `Error` that says which cannot be used, and why. */
export async function readImages(files: readonly File[]): Promise<readonly ChatImage[]> {
  for (const { name, type, size } of files) {
    if (!imageTypes.includes(type)) throw new Error(`${name} is no PNG, JPEG, GIF or WebP image.`)
    if (size > maxImageBytes) throw new Error(`${name} is larger than 15 MiB.`)
  }
  return Promise.all(
    files.map(async file => {
      const { name, type, size: bytes } = file
      return { name, type, bytes, data: await base64Of(file) }
    }),
  )
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).slice(String(reader.result).indexOf(',') + 1))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}
