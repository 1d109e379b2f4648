import { useEffect, useState } from 'preact/hooks'
import type { Store } from './store.ts'

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const value = store.get()
  const [, redraw] = useState({})
  useEffect(() => {
    // It may have changed between drawing and now.
    if (store.get() !== value) redraw({})
    return store.subscribe(() => redraw({}))
  }, [store])
  return value
}
