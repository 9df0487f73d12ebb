@echo off
rem Double-click: starts TripletScope, and opens it in the browser. The first time takes some minutes.
title TripletScope - close this window to end it
rem In a copy of the repository it starts what is there, alone the last release.
set WHAT=tripletscope
if exist "%~dp0..\backend.py" set WHAT=%~dp0..\..
where uv >nul 2>nul
if not errorlevel 1 (
    uv tool run --from "%WHAT%" tripletscope
    goto ended
)
where py >nul 2>nul
if errorlevel 1 goto nothing
set HOME_OF_IT=%LOCALAPPDATA%\TripletScope\program
if not exist "%HOME_OF_IT%\Scripts\tripletscope.exe" (
    echo Installing TripletScope. This takes some minutes, once.
    py -3 -m venv "%HOME_OF_IT%" || goto ended
    "%HOME_OF_IT%\Scripts\python" -m pip install --quiet "%WHAT%" || goto ended
)
"%HOME_OF_IT%\Scripts\tripletscope"
goto ended
:nothing
echo Python is missing. Install it from https://www.python.org/downloads/ and double-click again.
:ended
echo.
pause
