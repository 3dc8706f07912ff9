/**
 * The source of a script that captures clicks before hydration and replays the last one after it. Every page contains
 * the script in its head, so it is short.
 *
 * - Only controls that need JavaScript are captured. Links, menus and forms with an `action` work without JavaScript.
 * - A captured click does not reach React, which would otherwise handle a click during hydration as well.
 * - If a script fails to load, the click is replayed for the browser, which submits forms that work without JavaScript.
 *   Forms that need JavaScript have the method `dialog`: the browser sends nothing and keeps the input.
 *
 * The script also stores the URL that the page was rendered for, because the user can go back before hydration.
 */
export const earlyClickScript = `var renderedUrl=location.href;{let b,c="click",h=e=>{if(b=e.target.closest("button:not([popovertarget],[action] *),[aria-haspopup],[type=checkbox],.year-strip g"))e.preventDefault(),e.stopPropagation()},g=()=>setTimeout(()=>{removeEventListener(c,h,!0);b?.dispatchEvent(new MouseEvent(c,{bubbles:!0,cancelable:!0}));b=null});addEventListener(c,h,!0);addEventListener("live",g);addEventListener("error",e=>e.target.type=="module"&&g(),!0)}`;
