import { RecentCount } from './recent-values.ts'

/** How many principals are distinguished. The failures of further ones count as those of no particular principal. */
const maxPrincipals = 32

/** How often a principal's calls failed in the row, and when last. */
interface RowEntry {
  count: number
  at: number
}

/**
 * The failures of one target: those in a row, and those within a window that ends now, each by its principal.
 * `undefined` instead of a principal: failures that no caller can cause. Its memory does not grow.
 */
export class WitnessedFailures {
  readonly #row = new Map<string, RowEntry>()
  #unattributed = 0
  readonly #recent = new RecentCount()
  readonly #recentBy = new Map<string, RecentCount>()

  /** How many calls in a row have failed. */
  get row(): number {
    let sum = this.#unattributed
    for (const { count } of this.#row.values()) sum += count
    return sum
  }

  add(principal: string | undefined, now: number, windowMs: number): void {
    this.#recent.add(now, windowMs)
    if (principal === undefined) {
      this.#unattributed++
      return
    }
    this.#addToRow(principal, now)
    let recent = this.#recentBy.get(principal)
    if (recent === undefined) {
      if (this.#recentBy.size >= maxPrincipals) this.#forgetOne(now, windowMs)
      if (this.#recentBy.size >= maxPrincipals) return
      recent = new RecentCount()
      this.#recentBy.set(principal, recent)
    }
    recent.add(now, windowMs)
  }

  /** In another process so many calls of a principal have failed in a row. */
  adopt(principal: string, failures: number, now: number): void {
    const entry = this.#addToRow(principal, now)
    if (entry !== undefined) entry.count = Math.max(entry.count, failures)
  }

  /** Ends the row: a call was answered. */
  endRow(): void {
    this.#unattributed = 0
    if (this.#row.size > 0) this.#row.clear()
  }

  /**
   * Returns how long the row is where no principal counts for more than `cap`, and none whose last failure is older than
   * the window; 0 where all failures are of a single principal.
   */
  rowOfSeveral(cap: number, windowMs: number, now: number): number {
    let sum = this.#unattributed
    let witnesses = 0
    for (const { count, at } of this.#row.values()) {
      if (now - at >= windowMs) continue
      witnesses++
      sum += Math.min(count, cap)
    }
    return this.#unattributed === 0 && witnesses < 2 ? 0 : sum
  }

  /** Returns how long the row is for a principal: its own failures count in full, those of each other up to `cap`. */
  rowFor(principal: string, cap: number): number {
    let sum = this.#unattributed
    for (const [each, { count }] of this.#row) sum += each === principal ? count : Math.min(count, cap)
    return sum
  }

  /** The principal with the most failures in the row. */
  get topOfRow(): string | undefined {
    let top: string | undefined
    let most = 0
    for (const [principal, { count }] of this.#row) {
      if (count > most) [top, most] = [principal, count]
    }
    return top
  }

  within(windowMs: number, now: number): number {
    return this.#recent.within(windowMs, now)
  }

  /** Returns the principal with the most failures within the window, and how many. */
  topWithin(windowMs: number, now: number): readonly [principal: string | undefined, failures: number] {
    let top: readonly [string | undefined, number] = [undefined, 0]
    for (const [principal, recent] of this.#recentBy) {
      const failures = recent.within(windowMs, now)
      if (failures > top[1]) top = [principal, failures]
    }
    return top
  }

  clear(): void {
    this.endRow()
    this.#recent.clear()
    this.#recentBy.clear()
  }

  #addToRow(principal: string, now: number): RowEntry | undefined {
    const known = this.#row.get(principal)
    if (known !== undefined) {
      known.count++
      known.at = now
      return known
    }
    if (this.#row.size >= maxPrincipals) {
      this.#unattributed++
      return undefined
    }
    const entry = { count: 1, at: now }
    this.#row.set(principal, entry)
    return entry
  }

  /** Drops a principal without failures within the window. */
  #forgetOne(now: number, windowMs: number): void {
    for (const [principal, recent] of this.#recentBy) {
      if (recent.within(windowMs, now) > 0) continue
      this.#recentBy.delete(principal)
      return
    }
  }
}
