import type { MovedSecret } from './imported.ts'
import type { Part } from './part.ts'

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
  readonly moved: MovedSecret[] = []
  readonly #names = new Map<string, string>()
  readonly #numbers = new Map<string, number>()
  readonly #places = new Set<string>()
  readonly #used: Set<string>

  /** `used` are the names that mean something already. */
  constructor(used: Iterable<string>) {
    this.#used = new Set(used)
  }

  /** A reference to a variable that is set already. */
  static reference(name: string): string | undefined {
    return variableName.test(name) ? variable(name) : undefined
  }

  /** A reference in the place of a secret: the same one for the same secret, called `wanted` where that name is free. */
  secret(value: string, wanted: string, part: Part): string {
    const name = this.#names.get(value) ?? this.#free(wanted)
    this.#names.set(value, name)
    if (!this.#places.has(part.place)) this.moved.push({ name, path: part.place })
    this.#places.add(part.place)
    return variable(name)
  }

  /** A text as it is, but for one that looks like a secret, or that a configuration would read as a reference. */
  plain(value: string, wanted: string, part: Part): string {
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
