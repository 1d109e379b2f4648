import { GatewayError } from '@sluice/core'
import type { AlertRow } from './api.ts'
import type { ApiCall } from './api-call.ts'
import type { ConsoleAlert } from './console-alerts.ts'

const maxAlerts = 100

/** Returns the latest 100 alerts. Throws 404 if the console was given none. */
export function alertRows({ state }: ApiCall): AlertRow[] {
  if (state.alerts === undefined) {
    throw new GatewayError('unknown_url', {
      message: 'There are no alerts: createConsole() was given no alerts.',
    })
  }
  return state.alerts.recent().slice(0, maxAlerts).map(alertRow)
}

function alertRow({ alert, delivery, webhooks, failures }: ConsoleAlert): AlertRow {
  const { id, kind, text, at, rule, subject: { key, source } = {} } = alert
  return {
    id,
    kind,
    text: rule === undefined ? characters(text) : characters(text).replace(` (${rule})`, ''),
    at,
    ...(key !== undefined && { key }),
    ...(source !== undefined && { source }),
    ...(rule !== undefined && { rule }),
    delivery,
    webhooks,
    failures,
  }
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** The page writes texts and no markup. */
function characters(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp);/g, entity => entities[entity] ?? entity)
}
