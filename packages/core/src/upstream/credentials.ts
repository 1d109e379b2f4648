import type { UpstreamRequest } from '../contracts/transport.ts'

const mark = '[removed]'
/** How many characters of a credential in a row count as a part of it. */
const gramLength = 8
/** The minimum length of a credential: shorter ones are found in any text. */
const shortest = 6

/** Headers whose values are not secret. */
const plain = /^(?:accept|content-|user-agent$|host$)|(?:version|beta|date)$/

/**
 * The credentials of one upstream request, which the upstream may repeat: the values of all headers and of the URL's query,
 * and the host. They are found as they are, percent-encoded, in JSON, base64 or hexadecimal digits, in any letter case,
 * complete or 8 characters of them.
 */
export class Credentials {
  readonly #whole: readonly string[]
  readonly #grams = new Set<string>()

  constructor({ url, headers }: Pick<UpstreamRequest, 'url' | 'headers'>) {
    const secrets = [...secretsOf(headers), ...secretsIn(url)].filter(({ length }) => length >= shortest)
    this.#whole = [...new Set([...secrets, ...hostsIn(url)].map(lowerCase))]
    for (const secret of secrets) {
      for (const form of formsOf(secret)) {
        for (let at = 0; at + gramLength <= form.length; at++)
          this.#grams.add(form.slice(at, at + gramLength))
      }
    }
  }

  /** Whether a text contains one, also where the text as a whole is encoded. */
  in(text: string): boolean {
    return this.#found(text) !== undefined || this.#found(decoded(text)) !== undefined
  }

  /** Returns a text without them; an empty one where one cannot be removed. */
  without(text: string): string {
    const found = this.#found(text)
    const clean = found === undefined ? text : struck(text, found)
    return this.#found(decoded(clean)) === undefined ? clean : mark
  }

  /** Returns the characters that belong to one; `undefined` where there are none. */
  #found(text: string): Uint8Array | undefined {
    const lower = lowerCase(text)
    let found: Uint8Array | undefined
    const take = (from: number, length: number) => {
      found ??= new Uint8Array(text.length)
      found.fill(1, from, from + length)
    }
    for (const word of this.#whole) {
      for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
        take(at, word.length)
    }
    for (let at = 0; at + gramLength <= lower.length; at++) {
      if (this.#grams.has(lower.slice(at, at + gramLength))) take(at, gramLength)
    }
    return found
  }
}

function struck(text: string, found: Uint8Array): string {
  let clean = ''
  for (let at = 0; at < text.length; at++) {
    if (found[at] === 0) clean += text[at]
    else if (found[at - 1] !== 1) clean += mark
  }
  return clean
}

/** A user's provider may return no headers, or values that are no text. */
function secretsOf(headers: Readonly<Record<string, string>> | undefined): string[] {
  return Object.entries(headers ?? {}).flatMap(([name, value]) => {
    if (typeof value !== 'string' || plain.test(name.toLowerCase())) return []
    // `Bearer ...`, `Basic ...`: the scheme is no secret.
    const bare = value.replace(/^[A-Za-z][\w-]*\s+/, '')
    // A signature with its parameters (`Credential=..., Signature=...`): of the words that it is made of, the long ones.
    if (!/\w=[^,]*,\s*\w+=/.test(bare)) return [bare]
    return bare.split(/[\s,;=/]+/).filter(word => word.length >= 16 && !/^[a-z-]+$/.test(word))
  })
}

function secretsIn(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { searchParams, username, password } = new URL(url)
  return [...searchParams.values(), decoded(username), decoded(password)]
}

/** A bare word, such as the name of a container, could be any word of a text. */
function hostsIn(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { host, hostname } = new URL(url)
  return [host, hostname].filter(name => /[.:]/.test(name))
}

function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), hex]
  // Its offset in the encoded bytes decides which of three base64 forms it has.
  for (const before of [0, 1, 2]) {
    const text = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes))
    const own = text.slice(Math.ceil((before * 4) / 3), -4)
    forms.push(own, own.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms.map(lowerCase)
}

/** Returns a text without percent, JSON and HTML escapes. */
function decoded(text: string): string {
  return text
    .replace(/(?:%[0-9a-f]{2})+/gi, run => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run
      }
    })
    .replace(/\\u([0-9a-f]{4})|&#x([0-9a-f]{1,5});/gi, (_, a?: string, b?: string) =>
      String.fromCodePoint(Number.parseInt(a ?? b ?? '', 16)),
    )
    .replace(/&#(\d{1,6});/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/\\(["\\/])/g, '$1')
}

/** ASCII letters only, so that each character keeps its index. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, run => run.toLowerCase())
}
