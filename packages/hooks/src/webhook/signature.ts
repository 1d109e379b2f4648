/** Returns the headers that prove where a body comes from: the time in seconds since 1970, and an HMAC-SHA256 of both. */
export type Sign = (body: string, seconds: number) => Promise<Readonly<Record<string, string>>>

export function signer(secret: string): Sign {
  const text = new TextEncoder()
  let importing: Promise<CryptoKey> | undefined
  return async (body, seconds) => {
    importing ??= crypto.subtle.importKey(
      'raw',
      text.encode(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const digest = await crypto.subtle.sign('HMAC', await importing, text.encode(`${seconds}.${body}`))
    const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
    return { 'x-sluice-timestamp': String(seconds), 'x-sluice-signature': `v1=${hex}` }
  }
}
