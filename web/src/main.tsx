/** The page's beginning. */
import { render } from "preact";
import { takeToken } from "./api/gateway";
import { App } from "./shell/app";
import { start } from "./state/store";
import { keepTheme } from "./state/theme";

takeToken();
keepTheme();
start();
render(<App />, document.getElementById("page") as HTMLElement);
