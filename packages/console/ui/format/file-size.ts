/** The size of a file for people: `812 bytes`, `1.4 MiB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`
  const [amount, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB']
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 ? 1 : 0 })} ${unit}`
}
