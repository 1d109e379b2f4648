import type { ComponentChildren, ComponentType, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns a component whose code is loaded when it is shown for the first time. `loading` is shown until then. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading: ComponentChildren = <p class="muted loading">Loading …</p>,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | undefined
  return props => {
    const [, redraw] = useState({})
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        component => {
          loaded = component
          redraw({})
        },
        () => setFailed(true),
      )
    }, [])
    const Loaded = loaded
    if (Loaded !== undefined) return <Loaded {...props} />
    return failed ? <LoadFailed /> : loading
  }
}

/** The gateway may have been updated since the page was loaded: it then has other files. */
function LoadFailed() {
  return (
    <div class="notice bad notice-offer" role="alert">
      <p>Could not load this part of the page. Is the gateway running, or was it updated?</p>
      <button class="button" type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  )
}
