/**
 * Whether an event, or a line, is larger than `most` once these bytes have come, by the long way round: all of the
 * text is looked at again. Sizes are in UTF-16 code units; `ended` means that nothing more comes.
 */
export function isTooLarge(bytes: Uint8Array, most: number, ended: boolean): boolean {
  const text = new TextDecoder().decode(bytes, { stream: !ended })
  const lines = text.split(/\r\n|\r|\n/)
  const last = lines.pop() ?? ''
  let data: string | undefined
  for (const line of lines) {
    if (line === '') data = undefined
    else {
      if (line.length + (data?.length ?? 0) > most) return true
      const value = /^data(?::\x20?(.*))?$/s.exec(line)
      if (value !== null) data = data === undefined ? (value[1] ?? '') : `${data}\n${value[1] ?? ''}`
    }
  }
  return last.length + (data?.length ?? 0) > most
}
