import type { ComponentChildren } from 'preact'
import type { Loaded } from '../state/use-loaded.ts'

/** Shows what was loaded; until then that it comes, and why where it does not. */
export function Loading<T>({
  what,
  loaded,
  children,
}: {
  what: string
  loaded: Loaded<T>
  children(value: T): ComponentChildren
}) {
  const { value, error, reload } = loaded
  return (
    <>
      {error !== undefined && (
        <div class="notice bad notice-offer" role="alert">
          <p>
            Cannot load {what}: {error}
          </p>
          <button class="button" type="button" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {value !== undefined
        ? children(value)
        : error === undefined && <p class="muted loading">Loading {what} …</p>}
    </>
  )
}
