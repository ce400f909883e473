updateTimes();
markCurrentSection();
startToasts();
