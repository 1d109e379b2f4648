const name = 'sluice.admin-key'
const callerName = 'sluice.caller-key'

/**
 * The admin key: from the address (`#key=...`), from which it is removed at once, or as it was kept for this tab.
 * A fragment never leaves the browser.
 */
export function findAdminKey(): string | undefined {
  const given = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return sessionStorage.getItem(name) ?? undefined
  history.replaceState(null, '', location.pathname + location.search)
  const key = decoded(given)
  storeAdminKey(key)
  return key
}

/** Keeps it until the tab is closed. */
export function storeAdminKey(key: string): void {
  sessionStorage.setItem(name, key)
}

/** Forgets it, and the caller's key beside it. */
export function clearKeys(): void {
  sessionStorage.removeItem(name)
  sessionStorage.removeItem(callerName)
}

/** The key of a caller that was typed in for the chat; empty where there is none. */
export function storedCallerKey(): string {
  return sessionStorage.getItem(callerName) ?? ''
}

/** Keeps it until the tab is closed. */
export function storeCallerKey(key: string): void {
  sessionStorage.setItem(callerName, key)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
