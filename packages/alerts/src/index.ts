export type {
  Alert,
  AlertKind,
  BudgetAlert,
  ErrorRateAlert,
  LatencyAlert,
  TargetDownAlert,
  TargetRecoveredAlert,
} from './alert.ts'
export type {
  AlertFailure,
  AlertsOptions,
  BudgetAlertOptions,
  ErrorRateOptions,
  LatencyOptions,
  WebhookOptions,
} from './alerts-options.ts'
export { type Alerts, createAlerts } from './create-alerts.ts'
export type { RecentAlert } from './recent-alerts.ts'
