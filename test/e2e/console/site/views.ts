import type { Page } from 'playwright-core'
import type { Opening } from './console-tab.ts'
import type { ConsoleService } from './service.ts'

/** What the tests of a view are given: a tab, and the service behind it. */
export interface Site {
  readonly service: ConsoleService
  open(opening?: Opening): Promise<Page>
}

/** The tests of one view. `site` is there when a test runs. */
export type ViewTests = (site: () => Site) => void
