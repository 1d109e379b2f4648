import type { Part } from '../part.ts'

/** Settings that stand in `router_settings` or in `litellm_settings`. */
export interface Settings {
  at(key: string): Part
}

/** Where both have a setting, that of `router_settings` counts, as with LiteLLM, and the other is told of. */
export function settingsOf(root: Part): Settings {
  const [router, general] = [root.at('router_settings'), root.at('litellm_settings')]
  return {
    at(key) {
      const own = router.at(key)
      if (!own.isThere) return general.at(key)
      general
        .at(key)
        .lose('The same setting of router_settings goes first.', 'Nothing: so it is with LiteLLM.')
      return own
    },
  }
}
