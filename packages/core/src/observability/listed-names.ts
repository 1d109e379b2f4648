import type { ProviderKeyEvent, TargetEvent } from '../contracts/events.ts'
import type { ModelCard, Route } from '../contracts/route.ts'

/** The models and targets that a route lists. Callers cannot make up their names. */
export class ListedNames {
  readonly #route: Pick<Route, 'list' | 'targets'>
  /** The latest list, which most routes return unchanged. */
  #cards: readonly ModelCard[] | undefined
  #models: ReadonlySet<string> = new Set()
  /** The models of each provider; read once, as collecting them takes time. */
  #targets: ReadonlyMap<string, ReadonlySet<string>> | undefined

  constructor(route: Pick<Route, 'list' | 'targets'>) {
    this.#route = route
  }

  /** Returns whether `list` of the route has a model. Never throws. */
  hasModel(name: string): boolean {
    try {
      const cards = this.#route.list?.() ?? none
      if (cards !== this.#cards) {
        this.#models = new Set(cards.map(({ id }) => id))
        this.#cards = cards
      }
    } catch {
      // The names of the latest list still count.
    }
    return this.#models.has(name)
  }

  /** Returns whether `targets` of the route had a target when it was first called. Never throws. */
  hasTarget(provider: string, model: string): boolean {
    this.#targets ??= this.#targetNames()
    return this.#targets.get(provider)?.has(model) === true
  }

  /** Returns an event with `unlisted` if its target is not listed. */
  mark<Event extends TargetEvent | ProviderKeyEvent>(event: Event): Event {
    return this.hasTarget(event.provider, event.model) ? event : { ...event, unlisted: true }
  }

  #targetNames(): ReadonlyMap<string, ReadonlySet<string>> {
    const names = new Map<string, Set<string>>()
    try {
      for (const { provider, model } of this.#route.targets?.() ?? none) {
        const models = names.get(provider.name)
        if (models === undefined) names.set(provider.name, new Set([model]))
        else models.add(model)
      }
    } catch {
      // A route of the user's own: the targets that it returned until then count.
    }
    return names
  }
}

const none: readonly never[] = Object.freeze([])
