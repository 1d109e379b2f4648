import type { ProviderConfig } from '../config/config.ts'
import type { ImportNode, ImportReader } from './import-reader.ts'
import type { ExtractedSecret } from './import-result.ts'

/** What the parts of an import share. */
export interface ImportContext {
  readonly reader: ImportReader
  readonly variables: Variables
  readonly vendors: VendorTable
}

/** The vendors of a configuration by name: what is reached in the same way stands there once. */
export class VendorTable {
  readonly #names = new Map<string, string>()
  readonly #vendors = new Map<string, ProviderConfig>()
  readonly #reserved: ReadonlySet<string>
  readonly #numbers = new Map<string, number>()

  /** `reserved` are names that no vendor may have. */
  constructor(reserved: ReadonlySet<string> = new Set()) {
    this.#reserved = reserved
  }

  /** The name of a vendor with these options, which is new where nobody has them yet. */
  nameOf(type: string, options: Omit<ProviderConfig, 'type'>): string {
    const same = JSON.stringify([type, options])
    const known = this.#names.get(same)
    if (known !== undefined) return known
    const name = this.#free(type)
    this.#names.set(same, name)
    this.#vendors.set(name, name === type ? options : { type, ...options })
    return name
  }

  asConfig(): Readonly<Record<string, ProviderConfig>> {
    return Object.fromEntries(this.#vendors)
  }

  #free(type: string): string {
    const number = (this.#numbers.get(type) ?? 0) + 1
    this.#numbers.set(type, number)
    const name = number === 1 ? type : `${type}-${number}`
    return this.#reserved.has(name) || this.#vendors.has(name) ? this.#free(type) : name
  }
}

const variableName = /^[A-Za-z_]\w*$/

/** A reference to a variable of the environment, as configurations write it. */
export function variable(name: string): string {
  return `\${${name}}`
}

/** What secrets look like, wherever they stand. */
const secretive =
  /\b(?:sk|pk|rk|gsk|xai|hf|ghp|pplx|AKIA|AIza)[-_]?[\w-]{16,}|\beyJ[\w-]{10,}\.|:\/\/[^/\s:@]*:[^/\s@]+@|-----BEGIN|^Bearer\s|[?&][^=&]*(?:key|token|secret|password|sig)[^=&]*=/i

/**
 * The variables of the environment that the configuration reads. A secret that stands in the file becomes one, so that
 * it is written nowhere else.
 */
export class Variables {
  readonly extracted: ExtractedSecret[] = []
  readonly #names = new Map<string, string>()
  readonly #numbers = new Map<string, number>()
  readonly #paths = new Set<string>()
  readonly #used: Set<string>

  /** `used` are the names that mean something already. */
  constructor(used: Iterable<string>) {
    this.#used = new Set(used)
  }

  /** A reference to a variable that is set already. */
  static reference(name: string): string | undefined {
    return variableName.test(name) ? variable(name) : undefined
  }

  /** Returns a reference that replaces a secret: the same for the same secret, named `wanted` if that name is free. */
  secret(value: string, wanted: string, part: ImportNode): string {
    const name = this.#names.get(value) ?? this.#free(wanted)
    this.#names.set(value, name)
    if (!this.#paths.has(part.pathText)) this.extracted.push({ name, path: part.pathText })
    this.#paths.add(part.pathText)
    return variable(name)
  }

  /** A text as it is, but for one that looks like a secret, or that a configuration would read as a reference. */
  plain(value: string, wanted: string, part: ImportNode): string {
    return secretive.test(value) || value.includes('${') ? this.secret(value, wanted, part) : value
  }

  #free(wanted: string): string {
    const base = wanted.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
    const number = (this.#numbers.get(base) ?? 0) + 1
    this.#numbers.set(base, number)
    const name = number === 1 ? base : `${base}_${number}`
    if (this.#used.has(name)) return this.#free(wanted)
    this.#used.add(name)
    return name
  }
}

/** How the cache differs from others'. */
export const cacheNote =
  'The cache replays a response only to the same caller and request, and only with temperature 0: docs/caching.md.'
