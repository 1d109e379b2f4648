/** The place of the quote that ends a JSON string which stands there as it is; -1 where there is none. */
export function plainEnd(json: string, start: number): number {
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c || code < 0x20) return -1
  }
  return -1
}
