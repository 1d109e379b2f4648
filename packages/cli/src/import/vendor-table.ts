import type { ProviderConfig } from '../config/config.ts'

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
