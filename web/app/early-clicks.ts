/**
 * A script for the head of every page, as text: it is in each page, so it is short. It holds a press on a control that
 * needs scripts until the page is live, and then repeats it once; the last press counts. React knows nothing of events
 * that arrive before it, and would handle those that arrive while it starts as well; so a held press is kept from it.
 * Links, menus and forms with an `action` work without scripts and are left alone. When a script fails to load, the
 * press goes to the browser, which sends forms that work without scripts. Forms that need scripts have the method `dialog`, with
 * which a browser sends nothing and keeps what was typed.
 *
 * It also keeps the address that the page was rendered for: Back can be pressed before any other script runs.
 */
export const earlyClickScript = `var renderedUrl=location.href;{let b,c="click",h=e=>{if(b=e.target.closest("button:not([popovertarget],[action] *),[aria-haspopup],[type=checkbox],.year-strip g"))e.preventDefault(),e.stopPropagation()},g=()=>setTimeout(()=>{removeEventListener(c,h,!0);b?.dispatchEvent(new MouseEvent(c,{bubbles:!0,cancelable:!0}));b=null});addEventListener(c,h,!0);addEventListener("live",g);addEventListener("error",e=>e.target.type=="module"&&g(),!0)}`;
