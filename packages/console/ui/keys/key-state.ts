import type { KeyRow } from '../../src/api.ts'

export type KeyState = 'active' | 'disabled' | 'expired' | 'rotating'

/** What a key is now. `rotating`: an older secret of it is still let in. */
export function keyState({ disabled, expiresAt, secrets }: KeyRow, now: number): KeyState {
  if (disabled) return 'disabled'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return secrets.length > 1 && secrets.slice(1).some(old => old.expiresAt === null || old.expiresAt > now)
    ? 'rotating'
    : 'active'
}
