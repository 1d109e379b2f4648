import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'

applyTheme(storedTheme())
render(<App />, document.getElementById('app')!)
