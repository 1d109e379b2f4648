import type { EndEvent, Observer } from '@sluice/core'

/** An observer that is waited for. */
export interface WatchedEnds {
  readonly observe: Observer
  readonly all: readonly EndEvent[]
  /** The first record, as soon as it is there. */
  first(): Promise<EndEvent>
}

/** Makes one. */
export function watchedEnds(): WatchedEnds {
  const all: EndEvent[] = []
  let tell: (event: EndEvent) => void = () => {}
  const first = new Promise<EndEvent>(resolve => {
    tell = resolve
  })
  return {
    all,
    first: () => first,
    observe(event) {
      if (event.type !== 'end') return
      all.push(event)
      tell(event)
    },
  }
}
