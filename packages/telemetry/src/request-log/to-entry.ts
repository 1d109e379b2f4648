import type { GatewayEvent, ProviderKeyEvent, StoreEvent, TargetEvent } from '@sluice/core'
import { failureFields } from './failure-fields.ts'
import type { LogEntry } from './logger.ts'
import { shortText } from './plain-text.ts'
import { requestEntry } from './request-entry.ts'

/** Returns the log entry of an event; `undefined` for events that are not logged. `messages`: see `errorMessages`. */
export function toEntry(event: GatewayEvent, messages: boolean): LogEntry | undefined {
  switch (event.type) {
    case 'end':
      return requestEntry(event, messages)
    case 'target':
      return targetEntry(event, messages)
    case 'provider_key':
      return providerKeyEntry(event, messages)
    case 'store':
      return storeEntry(event, messages)
    case 'ledger_records_lost':
      return {
        level: 'error',
        message: 'records of the ledger are lost',
        fields: { records: event.records, reason: event.reason },
      }
    case 'log_rows_lost':
    case 'log_bodies_lost':
      return {
        level: 'warn',
        message:
          event.type === 'log_rows_lost' ? 'rows of the request log are lost' : 'bodies of requests are lost',
        fields: { rows: event.rows, reason: event.reason },
      }
    case 'warning':
      return {
        level: 'warn',
        message: event.message,
        fields: { warning: event.code, ...failureFields(event.error, { stack: false, messages }) },
      }
    case 'internal_error':
      return {
        level: 'error',
        message: 'internal error',
        fields: { requestId: event.requestId, ...failureFields(event.error, { stack: true, messages }) },
      }
    default:
      return undefined
  }
}

function targetEntry(event: TargetEvent, messages: boolean): LogEntry {
  const { provider, model, state, waitMs, reason, scope, unavailableMs, error } = event
  const failure = state === 'closed' ? { error: null } : failureFields(error, { stack: false, messages })
  return {
    level: state === 'closed' || state === 'half_open' ? 'info' : 'warn',
    message: 'target',
    fields: {
      provider: shortText(provider),
      upstreamModel: shortText(model),
      state,
      waitMs: Math.round(waitMs),
      reason: reason ?? null,
      scope: scope ?? null,
      unavailableMs: Math.round(unavailableMs),
      ...failure,
    },
  }
}

function providerKeyEntry(event: ProviderKeyEvent, messages: boolean): LogEntry {
  const { provider, model, key, state, waitMs, reason, scope, error } = event
  const isAvailable = state === 'available'
  const failure = isAvailable ? { error: null } : failureFields(error, { stack: false, messages })
  return {
    level: isAvailable ? 'info' : 'warn',
    message: 'provider key',
    fields: {
      provider: shortText(provider),
      upstreamModel: shortText(model),
      key: shortText(key),
      state,
      waitMs: Math.round(waitMs),
      reason: reason ?? null,
      scope: scope ?? null,
      ...failure,
    },
  }
}

function storeEntry({ store, state, error }: StoreEvent, messages: boolean): LogEntry {
  const failing = state === 'failing'
  const failure = failing ? failureFields(error, { stack: false, messages }) : { error: null }
  return { level: failing ? 'error' : 'info', message: 'store', fields: { store, state, ...failure } }
}
